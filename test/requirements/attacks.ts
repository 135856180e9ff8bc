/** Requirements on what no write lets its callers do, over every write of the registry: id → source and behavior. */
export const attackRequirements = {
  'attack.no-credential': {
    source: 'calls § Access kinds',
    behavior:
      'Every write that asks for a credential returns 401 or 404 without one, with a guessed one and with a proof of another wallet, and writes no row.',
  },
  'attack.wrong-kind': {
    source: 'calls § Access kinds',
    behavior:
      'A write of operators takes no access key and no status token, and a write of other callers takes no operator; no row is written.',
  },
  'attack.token-alone': {
    source: 'calls § Access kinds',
    behavior:
      'A write that takes a status token with a signature writes no row for the token alone or with another signature.',
  },
  'attack.scopes': {
    source: 'calls § Access kinds',
    behavior:
      'An access key with every scope but the one that a write needs gets 403, and no row is written.',
  },
  'attack.records': {
    source: 'calls § Access kinds',
    behavior:
      'No write reads or changes a record of another agent by its id. Only refusals and denials are recorded.',
  },
  'attack.members': {
    source: 'calls § Bodies',
    behavior:
      'No write takes a member that its schema does not name, at any depth: neither what the service derives, such as a decision or a settlement, nor one that sets a prototype.',
  },
  'attack.malformed': {
    source: 'calls § Bodies',
    behavior:
      'A body that is no JSON object, is cut, nests too deep, is too large, or holds invalid UTF-8, lone surrogates, NUL or numbers without a finite value is refused by every write with a problem of status 4xx, and no row is written.',
  },
  'attack.repeats': {
    source: 'calls § Idempotency',
    behavior:
      'Two equal calls at once and one later have one effect and one answer, and a call with other terms under the same key returns 422 idempotency_conflict and writes nothing, for every write with a key.',
  },
  'attack.texts': {
    source: 'calls § Bodies',
    behavior:
      'Markup, SQL, templates and paths in any text of a write are text: no write fails by them, no schema takes control characters or bidi overrides, and every answer is JSON.',
  },
  'attack.urls': {
    source: 'callbacks § Callback URL',
    behavior:
      'No write takes a URL that the service would ask and that leads to a private, local or reserved address in any form, has a user, or is not https.',
  },
  'attack.races': {
    source: 'money § Quotes',
    behavior:
      'Of calls at once by any paths, one starts the run of a paid quote, one is paid by a wallet with the money for one, one consumes a credit, one uses an invoice, and one posts the fee of a month.',
  },
  'attack.live': {
    source: 'calls § Idempotency',
    behavior:
      'With workers and Temporal, foreign ids, bodies of wrong form, hostile texts and URLs that lead inside end in no status 5xx at any write that starts a workflow, 20 equal ones at once have one effect, and no workflow fails.',
  },
  'attack.quotas': {
    source: 'limits § Quotas',
    behavior:
      'Every free write that leaves a row, of anyone, of an agent or of a status token, is counted in a daily quota of its address and of all strangers; trusted agents are not refused by what strangers do.',
  },
} as const
