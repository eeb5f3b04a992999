# A device in another language: says what it is, measures, obeys commands, and leaves its last will.
import json
import sys

import paho.mqtt.client as mqtt

host, port, device, key = sys.argv[1:5]
base = f"homie/5/{device}"
description = {
    "homie": "5.0",
    "version": 1,
    "name": "Heater",
    "nodes": {
        "heat": {
            "type": "temperature",
            "properties": {
                "sample": {
                    "datatype": "json",
                    "format": json.dumps({"type": "object", "properties": {"temperature_c": {"type": "number"}}}),
                    "retained": False,
                }
            },
        },
        "thermostat": {
            "type": "setting",
            "properties": {"target": {"datatype": "float", "unit": "°C", "format": "0:80", "settable": True}},
        },
    },
}


def on_connect(client, _data, _flags, code, *_):
    print(f"connected {code}", flush=True)
    if int(getattr(code, "value", code)) != 0:
        client.disconnect()
        return
    client.subscribe([(f"{base}/thermostat/target/set", 1)])


def on_subscribe(client, *_):
    for topic, payload in (("$state", "init"), ("$description", json.dumps(description)), ("$state", "ready")):
        client.publish(f"{base}/{topic}", payload, qos=1, retain=True)
    client.publish(f"{base}/heat/sample", json.dumps({"temperature_c": 21.5}), qos=1)


def on_message(client, _data, message):
    asked = message.payload.decode()
    print(f"told {asked}", flush=True)
    client.publish(f"{base}/thermostat/target/$target", asked, qos=1, retain=True)
    client.publish(f"{base}/thermostat/target", asked, qos=1, retain=True)


# Version 2 of the library wants to be told which callbacks these are.
versions = getattr(mqtt, "CallbackAPIVersion", None)
options = {"client_id": f"paho-{device}", "protocol": mqtt.MQTTv311}
client = mqtt.Client(versions.VERSION1, **options) if versions else mqtt.Client(**options)
client.username_pw_set(device, key)
client.will_set(f"{base}/$state", "lost", qos=1, retain=True)
client.on_connect, client.on_subscribe, client.on_message = on_connect, on_subscribe, on_message
client.connect(host, int(port), keepalive=2)
client.loop_forever(retry_first_connection=False)
