export const stackRequirements = {
  'stack.once': {
    source: 'stack § Start',
    behavior:
      'One start brings up every part and makes one real payout through the public API. With --once it writes its summary and exits with 0.',
  },
  'stack.demo': {
    source: 'stack § Start',
    behavior:
      'agent-rails demo shows a sandbox run and a payout on the stack that runs, or on one that it starts and ends.',
  },
  'stack.demo-page': {
    source: 'stack § Start',
    behavior:
      'The page of a demo kills the worker during a payment, which reaches its recipient once; other pages and hosts cannot use it.',
  },
  'stack.second-start': {
    source: 'stack § Start',
    behavior: 'A second start continues with the same data, and two stacks can run in parallel.',
  },
  'stack.supervised': {
    source: 'stack § Start',
    behavior: 'A part that dies is reported and started again. Ctrl-C stops all parts.',
  },
  'stack.temporal-tls': {
    source: 'decision',
    behavior:
      'The frontend of Temporal is reached over TLS with an authority and a client certificate of the settings, by clients and workers alike. A certificate without its key is refused at the start.',
  },
  'stack.temporal-server': {
    source: 'stack § Temporal server',
    behavior:
      'The start finds, downloads or builds a Temporal server. When it cannot, its message names the options.',
  },
  'stack.secrets': {
    source: 'stack § Local files',
    behavior:
      'Generated keys and accounts are files of mode 0600, and they are made only for the local chain.',
  },
  'ship.containers': {
    source: 'stack § Containers',
    behavior: 'docker-compose.yml runs the same parts as containers. The API and the worker scale.',
  },
  'structure.layers': {
    source: 'decision',
    behavior:
      'Each layer keeps the rules for its imports, packages, SQL, environment variables, file sizes and names.',
  },
  'structure.records': {
    source: 'decision',
    behavior:
      'Views of records follow from their shapes, and their reviews and what waits of them are declared; the few written by hand are named.',
  },
  'structure.one-write': {
    source: 'decision',
    behavior:
      'A handler makes at most one deciding write for a call: one transaction, or one update that carries the id of the call. What it sends in addition carries nothing and wakes a row of the registry of late rows. A test attributes every commit and message to its handler, and states each exemption with its reason.',
  },
  'structure.kernel': {
    source: 'decision',
    behavior:
      'An operation is read without its examples, its services and the work of its rail: the declaration of operations imports no file, a listing fewer than 60, and any other file of operations fewer than 100.',
  },
  'structure.rails': {
    source: 'decision',
    behavior:
      'A rail is a folder of which others import only the index, and declarations of operations its shapes and its sample; shared code names no single rail but where a reason is given.',
  },
  'structure.services': {
    source: 'decision',
    behavior:
      'A service has no base class. Each family of services opens its own in its open.ts, which names each once, and families use each other without a cycle.',
  },
  'bench.paired': {
    source: 'decision',
    behavior:
      'Two builds are compared in pairs, by the median of their ratios with its distribution-free interval.',
  },
  'local.worthless-signatures': {
    source: 'payouts § Local chain',
    behavior:
      'The local token is never at the address of a known asset, and no local key is from the mnemonic of anvil.',
  },
  'local.refuses-real-funds': {
    source: 'payouts § Local chain',
    behavior:
      'Real funds need REAL_FUNDS=enabled and different addresses for payTo, payout wallet and treasury.',
  },
} as const
