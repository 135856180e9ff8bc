export const documentRequirements = {
  'docs.guides': {
    source: 'decision',
    behavior:
      'A rail and an operation that are added as CONTRIBUTING says compile and pass the checks that it names.',
  },
  'client.typed': {
    source: 'stack § Client',
    behavior: 'The typed client is derived from the operations and can make a whole payout.',
  },
  'client.comes-back': {
    source: 'stack § Client',
    behavior:
      'An agent that crashed after its execute gets the result when it repeats the call with the same key.',
  },
  'docs.operations': {
    source: 'decision',
    behavior:
      'The page docs/operations.md contains the configuration reference of the schema and names only commands that exist.',
  },
  'docs.security': {
    source: 'decision',
    behavior:
      'The page docs/security.md states the promises, the answer to each known attack, and how to report a vulnerability.',
  },
  'docs.guarantees': {
    source: 'decision',
    behavior:
      'The page docs/guarantees.md names the requirements that prove each promise, and the source of each of its figures.',
  },
  'docs.proofs': {
    source: 'decision',
    behavior:
      'The reference names, for each call of delegated authority, keys, trust service and log, its requirements and the tests that prove them.',
  },
  'pages.landing': {
    source: 'calls § Pages',
    behavior:
      'The front page explains the service and links to all other pages. Its walk-through runs as shown.',
  },
  'pages.reference': {
    source: 'calls § Pages',
    behavior:
      'Each host serves its own reference: one entry for each operation and mode, with search, code samples and a form that calls this host.',
  },
  'reference.examples': {
    source: 'calls § Pages',
    behavior:
      'Each operation has an authored example of its input and answer, which fits its schemas and is in the reference and the OpenAPI document.',
  },
  'pages.rails': {
    source: 'calls § Pages',
    behavior:
      'Each rail has a page made from its declaration: tiers with prices, input, faults, gaps, package, and a worked example that runs as pasted.',
  },
  'pages.problems': {
    source: 'errors § Problem body',
    behavior:
      'The type of every refusal is the address of an explanation with the next step, as a page for people and as JSON for programs.',
  },
  'pages.policy': {
    source: 'calls § Pages',
    behavior:
      'No page runs inline scripts or loads anything from another host. Pages answer only GET and HEAD.',
  },
  'docs.architecture': {
    source: 'decision',
    behavior:
      'The architecture page is generated from the code or agrees with it: layers, pipeline, states, messages, guards.',
  },
  'docs.links': {
    source: 'decision',
    behavior: 'Every relative link and every file that the documents name exists.',
  },
  'docs.examples': {
    source: 'decision',
    behavior:
      'The TypeScript of the README type-checks against the packed client. The offline check and the printed paths of the tour are correct.',
  },
} as const
