// npm run example sign-in/program [BASE_URL]: a third-party program. It never sees a password, only a session that its
// user can end at any time.
import { getUser, SignInError, signIn, signOut } from "@backplane/sdk";

const [baseUrl = "http://localhost:8790"] = process.argv.slice(2);

try {
  const onUrl = ({ url, confirmationCode }: { url: string; confirmationCode: string }) =>
    console.log(`Open ${url}\nApprove if the page shows ${confirmationCode}.`);
  const { sessionToken } = await signIn({ baseUrl, appName: "Bench logger", maxAge: 3_600, onUrl });
  const { name, session } = await getUser({ baseUrl, sessionToken });
  console.log(`Signed in as ${name}, by a session of kind ${session.kind}.`);
  // A program that runs again would store the token instead, protected like a password.
  await signOut({ baseUrl, sessionToken });
} catch (error) {
  if (!(error instanceof SignInError)) throw error;
  console.log(error.message);
  process.exitCode = 1;
}
