/** Commands of the pages that commands-of-pages.system.test.ts does not run, each with the reason. */

const DOWNLOADS = 'downloads packages; the copy of the checkout has links to them instead';
const IS_TEST = 'runs the tests, of which this is one, or a check of its own in CI';
const MINUTES = 'puts a load on the machine for minutes; another test runs a short form';
const SYSTEM = 'changes users or services of the system: needs root and systemd';
const CONTAINERS = 'needs a container engine';
const POSTGRES = "needs PostgreSQL's own programs; postgres-backup.system.test.ts runs them where they are installed";
const MAIL_SERVER = 'needs a mail server; mails.test.ts runs it with one';
const SELF_SERVICE = 'needs the pages at /my and a customer; links.test.ts runs it beside a service with both';
const DAMAGE =
  'needs a damaged file, and a sqlite3 with .recover; operator-journey.system.test.ts runs it where that is installed';
const OF_LANGUAGE = 'needs the tools of the language and the copied folder; the page test of the client runs it';
const NO_DOTNET = 'needs .NET, which is tried nowhere; the page says so';
const SAME = 'does the same as `npm run package -- .`, which is run, without packing the result';

/** Reasons by command. A command counts on every page that has it. */
export const DECLARED: Readonly<Record<string, string>> = {
  'npm ci': DOWNLOADS,
  'npm test': IS_TEST,
  'npm run check': IS_TEST,
  'npm run test:system': IS_TEST,
  'npm run test:clients': IS_TEST,
  'npm run test:elsewhere': IS_TEST,
  'npm run test:judges': IS_TEST,
  'npm test -- packages/server/test/licensing/licenses': IS_TEST,
  'npm test -- --watch packages/server/test/licensing/client-endpoints/activate.test.ts': IS_TEST,
  'npm test -w packages/console': IS_TEST,
  'npm run package': SAME,
  'npm run latchkey -- send-test-mail you@example.com': MAIL_SERVER,
  'npm run latchkey -- customer-link ada@example.com': SELF_SERVICE,
  'npm run demo -- --history': MINUTES,
  'npm run chaos -- --engine postgres --minutes 10': MINUTES,
  'npm run crash-test -- --engine sqlite --rounds 20': MINUTES,
  'npm run attack -- --engine sqlite': MINUTES,
  'npm run conformance -- --database-url postgres://user:password@host:port/name': MINUTES,
  'npm run bench': MINUTES,
  'npm run bench -- --engine postgres --licenses 1M': MINUTES,
  'npm run bench -- --subject control': MINUTES,
  'npm run bench -- --engine postgres --nodes 4 --connections 256': MINUTES,
  'npm run bench -- --beside ../latchkey-1.0 --destinations 100 --matching share': MINUTES,
  'npm run bench -- --beside ../latchkey-1.0 --customers 50': MINUTES,
  'npm run bench -- --beside ../latchkey-1.0 --tabs 3': MINUTES,
  'npm run scale': MINUTES,
  'npm run soak': MINUTES,
  'npm run writes': MINUTES,
  'npm run instructions -- --beside ../latchkey-1.0': MINUTES,
  'npm run side-costs': MINUTES,
  'useradd --system --home-dir /var/lib/latchkey --shell /usr/sbin/nologin latchkey': SYSTEM,
  'install -d -m 0750 -g latchkey /etc/latchkey': SYSTEM,
  'install -m 0640 -g latchkey /dev/null /etc/latchkey/latchkey.env': SYSTEM,
  'install -d -m 0700 -o latchkey -g latchkey /var/backups/latchkey': SYSTEM,
  'systemctl daemon-reload': SYSTEM,
  'systemctl enable --now latchkey': SYSTEM,
  'systemctl enable --now latchkey-backup.timer': SYSTEM,
  'systemctl restart latchkey': SYSTEM,
  'systemctl stop latchkey': SYSTEM,
  'systemctl start latchkey': SYSTEM,
  'journalctl -u latchkey -o cat': SYSTEM,
  'install -d -m 0700 /var/backups/latchkey/recovered': DAMAGE,
  "sqlite3 /var/backups/latchkey/damaged.db '.recover --ignore-freelist' | sqlite3 /var/backups/latchkey/recovered/latchkey.db":
    DAMAGE,
  'LATCHKEY_DATA_DIR=/var/backups/latchkey/recovered latchkey export /var/backups/latchkey/recovered.jsonl': DAMAGE,
  'chown latchkey /var/backups/latchkey/recovered.jsonl': DAMAGE,
  'pip install ./latchkey-python': OF_LANGUAGE,
  'dotnet add reference latchkey-csharp/Latchkey.Client.csproj': NO_DOTNET,
  'go mod edit -require example.com/latchkey@v1.0.0 -replace example.com/latchkey=./latchkey-go': OF_LANGUAGE,
  'docker compose up --build --detach': CONTAINERS,
  'pg_dump --format=custom --file=latchkey-$(date +%F).dump "$DATABASE_URL"': POSTGRES,
  'pg_restore --exit-on-error --no-owner --dbname="$DATABASE_URL" latchkey-2027-01-31.dump': POSTGRES,
  'pg_basebackup --pgdata=/backups/base --checkpoint=fast --wal-method=stream': POSTGRES,
};

/** Pages whose commands another test runs, all of them and in order. */
export const RUN_BY_OTHER_TESTS: Readonly<Record<string, string>> = {
  'docs/shops/events.md': 'packages/server/test/webhooks/deliveries/events-page.system.test.ts',
  'docs/shops/self-service.md': 'packages/server/test/self-service-page.test.ts',
  'docs/shops/storefront.md': 'packages/server/test/storefront-page.test.ts',
};
