# python3 -m examples.drive_panels [BASE_URL]: signs in, opens a web view and a sandbox beside it, and runs code there.
import sys

from backplane import Backplane, BackplaneError

backplane = Backplane(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8790")
try:
    backplane.sign_in(
        lambda link: print(f"Open {link.url}\nApprove if the page shows {link.confirmation_code}.", flush=True),
        app_name="Bench",
        max_age=3600,
    )
    workspace = backplane.workspace(backplane.user()["name"], "python")
    page = workspace.open_tab("webview", name="datasheet", state={"url": "https://example.org/"}, reuse=True)
    bench = workspace.split(page["panelId"], "horizontal", "sandbox", name="bench", reuse=True)
    answer = workspace.eval(bench["newPanelId"], "6 * 7")
    workspace.log("the bench is set up", source="python")
    print(f"Open {workspace.page}")
    print(f"Answer: {answer['result']}" if answer["status"] == "executed" else f"Waits for a browser: {answer}")
    backplane.sign_out()
except BackplaneError as error:
    print(f"{error} ({error.code})")
    sys.exit(1)
