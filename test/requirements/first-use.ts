/** Requirements on the first hour of a new user: id → source and behavior. */
export const firstUseRequirements = {
  'start.demo-once': {
    source: 'stack § Start',
    behavior:
      'The demo pays a small amount at the first start, with --demo and with --once, and at no other start.',
  },
  'start.stays-up': {
    source: 'stack § Start',
    behavior:
      'A demo that cannot run says why in one line and leaves the stack up. --once then exits with 1.',
  },
  'docs.as-pasted': {
    source: 'decision',
    behavior:
      'README and landing page begin with a sandbox agent; every snippet of README, tour, landing page and documents works as pasted, in order, or is marked with the reason why it is not run; none pays a published account.',
  },
  'client.package': {
    source: 'stack § Client',
    behavior:
      '`@agent-rails/client` packs and installs without the server; its types are whole in a strict project that checks libraries.',
  },
  'client.readme': {
    source: 'stack § Client',
    behavior:
      'The README of each client has a first verified run that works as it stands; that of TypeScript has at most 30 lines.',
  },
  'client.python': {
    source: 'stack § Client',
    behavior:
      'The Python package calls every operation, typed, with a client and its async twin. It registers, buys runs, pays with x402, moves payouts and verifies receipts; a repeat has the same key and payment.',
  },
  'client.examples': {
    source: 'stack § Client',
    behavior: 'Every program of examples/ runs as it is against `npm start`.',
  },
  'pages.phone': {
    source: 'calls § Pages',
    behavior:
      'On a phone the landing page is at most eight screens long and as wide as the screen: one language of the first agent is open at a time, and operations are closed by family.',
  },
  'pages.picture': {
    source: 'calls § Pages',
    behavior:
      'The picture of a killed worker and one payment has text of at least 12 px on a phone, can be paused, and stands still for readers who ask for less motion.',
  },
  'scripts.fresh-clone': {
    source: 'decision',
    behavior:
      'Every script of package.json works in a fresh clone: it installs and builds first, and its programs come with the project.',
  },
  'client.receipts': {
    source: 'trust § Key status',
    behavior:
      'The client verifies receipts offline by the standing of their key: forged ones, those of a revoked key, those dated after their key was retired and gaps in a chain are refused.',
  },
  'client.webhooks': {
    source: 'callbacks § Receivers',
    behavior:
      'The client verifies webhooks with the key set of the service or one public key: forged, expired and altered ones are refused, and a repeated one keeps its id.',
  },
  'client.repeats': {
    source: 'stack § Client',
    behavior:
      'The client repeats what is refused as retryable or does not get through, with the same idempotency key, until its time is over; every other refusal is thrown at once.',
  },
  'operate.doctor-roles': {
    source: 'stack § Database roles',
    behavior:
      'doctor names the database role it is connected as, each missing role, and each privilege on a guarded table that is not as declared; a user that is none of the roles is a warning.',
  },
  'keys.no-restart': {
    source: 'trust § Key operation',
    behavior:
      'Every process takes over a published key from its file without a restart, with its next signature or verification; a file that cannot be read, or comes later, changes nothing until it is whole.',
  },
} as const
