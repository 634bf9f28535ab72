/** The guides: the pages of docs/ for people who use the service, at /docs/NAME. */

/** A guide. */
export interface Guide {
  /** Its folder in docs/. */
  readonly folder: string;
  /** Name of its file in that folder, without `.md`; no two guides have the same one. */
  readonly name: string;
  /** Its name in the contents, and in links of other guides to it. */
  readonly title: string;
  /** Its content in a sentence. */
  readonly about: string;
}

/** Guides for the same readers. */
export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

/** A group of guides in a folder of docs/. */
function group(title: string, folder: string, guides: readonly Omit<Guide, 'folder'>[]): GuideGroup {
  return { title, guides: guides.map((guide) => ({ folder, ...guide })) };
}

/** The groups and their guides, in the order of the contents. */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  group('For apps', 'apps', [
    {
      name: 'integrating',
      title: 'Integrating an app',
      about: 'Which call an app makes when, and what each refusal requires.',
    },
    {
      name: 'client',
      title: 'The client for TypeScript',
      about: 'The first check in five minutes, the states of an app, and what to show its user.',
    },
    {
      name: 'offline',
      title: 'Machines without a connection',
      about: 'How an app runs without the service, or on a machine that is never connected.',
    },
    {
      name: 'license-files',
      title: 'License files',
      about: 'The format of signed license files, and programs that read them in six languages.',
    },
    { name: 'errors', title: 'Errors', about: 'The code of every refusal, and how an app reacts.' },
  ]),
  group('For shops and support', 'shops', [
    {
      name: 'license-models',
      title: 'License models',
      about: 'Each way to sell software: which variant to make, what the app asks, and what happens at the end.',
    },
    {
      name: 'connectors',
      title: 'Connecting a seller',
      about: 'How Stripe, Paddle and six other sellers are connected without a program.',
    },
    {
      name: 'storefront',
      title: 'Connecting a storefront',
      about: 'How purchases, renewals, refunds and disputes reach the service.',
    },
    {
      name: 'events',
      title: 'Events',
      about: 'Signed events to a shop or a chat room, as changes happen.',
    },
    {
      name: 'api-keys',
      title: 'API keys',
      about: 'Keys for creators and build servers, and what each key can see.',
    },
    {
      name: 'self-service',
      title: 'Self-service',
      about: 'Pages on which customers find their keys and free computers.',
    },
    { name: 'mail', title: 'Mail', about: 'Which e-mails customers get, and who sends them.' },
    {
      name: 'console',
      title: 'The console',
      about: 'Screens, roles and the keyboard of the page for the people who sell, answer and operate.',
    },
    {
      name: 'support',
      title: 'Answering customers',
      about: 'What customers ask, the call that answers it, and the reply.',
    },
    { name: 'abuse', title: 'Abuse', about: 'Which misuse the service detects, and how to respond.' },
    { name: 'glossary', title: 'Glossary', about: 'The terms of the service and of its code.' },
  ]),
  group('For each seller', 'shops/sellers', [
    { name: 'stripe', title: 'Stripe', about: 'What to set at Stripe, and what to do after an outage.' },
    {
      name: 'lemonsqueezy',
      title: 'Lemon Squeezy',
      about: 'What to set at Lemon Squeezy, and what to do after an outage.',
    },
    { name: 'paddle', title: 'Paddle', about: 'What to set at Paddle, and what to do after an outage.' },
    { name: 'gumroad', title: 'Gumroad', about: 'What to set at Gumroad, and what to do after an outage.' },
    { name: 'polar', title: 'Polar', about: 'What to set at Polar, and what to do after an outage.' },
    { name: 'fastspring', title: 'FastSpring', about: 'What to set at FastSpring, and what to do after an outage.' },
    { name: 'woocommerce', title: 'WooCommerce', about: 'What to set at WooCommerce, and what to do after an outage.' },
    { name: 'shopify', title: 'Shopify', about: 'What to set at Shopify, and what to do after an outage.' },
  ]),
  group('For operators', 'operators', [
    {
      name: 'operations',
      title: 'Operation',
      about: 'Installation, upgrades, backups, restores, several nodes, and what to do when something fails.',
    },
    {
      name: 'configuration',
      title: 'Configuration',
      about: 'Every environment variable, the data directory and the commands.',
    },
    {
      name: 'oidc',
      title: "Your organization's accounts",
      about: 'How people sign in to the console with accounts of Keycloak, Entra, Google, dex and others.',
    },
    { name: 'security', title: 'Security', about: "The defences of the service, and the operator's part." },
    {
      name: 'import-export',
      title: 'Moving data',
      about: 'How to import licenses from elsewhere, export all of them, and move to another database.',
    },
    { name: 'metrics', title: 'Metrics', about: 'Every metric for Prometheus, with alerts and a dashboard.' },
    { name: 'logs', title: 'The log', about: 'Every event of the log and its fields.' },
    {
      name: 'failover',
      title: 'Failover',
      about: 'Several PostgreSQL servers, the loss of one, and updates without an outage.',
    },
    { name: 'scale', title: 'Scaling', about: 'How many licenses and checks how many servers take.' },
  ]),
  group('For contributors', 'contributors', [
    { name: 'performance', title: 'Performance', about: 'The speed of the service, and how it was measured.' },
    {
      name: 'other-servers',
      title: 'Other database servers',
      about: "How to test another server that speaks PostgreSQL's protocol.",
    },
  ]),
];

/** All guides in the order of the contents. */
export const GUIDES: readonly Guide[] = GUIDE_GROUPS.flatMap(({ guides }) => guides);

/** The file of a guide in docs/. */
export function fileOf({ folder, name }: Guide): string {
  return `${folder}/${name}.md`;
}

/** The path of a guide. */
export function pathOf({ name }: Guide): string {
  return `/docs/${name}`;
}

/** The path of a picture in a guide. */
export function pathOfPicture(name: string): string {
  return `/docs/images/${name}`;
}
