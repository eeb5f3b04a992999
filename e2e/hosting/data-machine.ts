import { join } from "node:path";
import { ROOT } from "../support/backplane.ts";
import { type Machine, type Network, startMachine } from "./machine.ts";

const MODULES = "/opt/node_modules";

/** s3rver with the keys of the guide. */
const S3 = `
require("${MODULES}/s3rver/lib/models/account").DUMMY_ACCOUNT.createKeyPair("backplane", "change-this-as-well");
const options = { address: "0.0.0.0", port: 9000, silent: true, directory: "/srv/s3", configureBuckets: [{ name: "packages" }] };
new (require("${MODULES}/s3rver"))(options).run();
`;

/** The services that the guide leaves to the operator, with its passwords. */
const SERVICES = `
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
install -d -o postgres /srv/pg
echo admin > /srv/pg/password
runuser -u postgres -- "$bin/initdb" -D /srv/pg/data -A trust > /dev/null
echo "host all all 10.0.0.0/24 scram-sha-256" >> /srv/pg/data/pg_hba.conf
systemd-run --quiet --unit=data-postgres --uid=postgres "$bin/postgres" -D /srv/pg/data -k /srv/pg -c "listen_addresses=*"
until "$bin/pg_isready" -q -h /srv/pg; do sleep 0.2; done
psql -q -h /srv/pg -U postgres -c "create role backplane login password 'change-this'"
psql -q -h /srv/pg -U postgres -c "create database backplane owner backplane"
systemd-run --quiet --unit=data-redis redis-server --bind 0.0.0.0 --requirepass change-this-too --save ""
mkdir -p /srv/s3
systemd-run --quiet --unit=data-s3 "$(command -v node)" /srv/s3.cjs
curl -sS -o /dev/null --retry 60 --retry-delay 1 --retry-connrefused http://localhost:9000/
`;

export async function startDataMachine(network: Network, address: string): Promise<Machine> {
  const options = [`--bind-ro=${join(ROOT, "node_modules")}:${MODULES}`];
  const machine = await startMachine("data", { network, address, options });
  try {
    machine.paste(`cat > /srv/s3.cjs <<'END'\n${S3}\nEND\n${SERVICES}`);
    return machine;
  } catch (error) {
    await machine[Symbol.asyncDispose]();
    throw error;
  }
}
