/** Requirements on tests of the running service and on the store of their reports: id → source and behavior. */
export const harnessRequirements = {
  'harness.payment-reference': {
    source: 'harness § Tests',
    behavior:
      'The harness presents a payment reference as a sandbox agent and reads its state: it is rejected, settles nothing and waits for no operator.',
  },
  'harness.suites': {
    source: 'harness § Tests',
    behavior:
      'Each of the four tests plays its steps against the running service over HTTP and MCP, on a stack with database roles, and all of them pass; over MCP the same test is the same call.',
  },
  'harness.plan': {
    source: 'harness § Tests',
    behavior:
      'The steps that were asked for are played with those that they build on, in their order; the counterpart only where one is named.',
  },
  'harness.wait': {
    source: 'harness § Tests',
    behavior:
      'A test that does not end within the wait answers 202 and running; a repeat with its key, and a read by its id, show how it stands.',
  },
  'harness.repeat': {
    source: 'harness § Tests',
    behavior:
      'A step that runs twice keeps its first outcome, and a repeated script makes the same calls by the same agents.',
  },
  'harness.limits': {
    source: 'harness § Limits',
    behavior:
      'Two tests of an address an hour and a fifth of those of a day, twenty of all callers a day and two at once are begun, also when they are sent at the same time; a repeat counts as none.',
  },
  'harness.self': {
    source: 'harness § Limits',
    behavior:
      'No step starts a test, names a URL, or costs anything; its calls go to the configured origins, follow no redirect, and wait for limits instead of pressing.',
  },
  'harness.counterpart': {
    source: 'harness § Counterpart',
    behavior:
      'A counterpart that does not lead to a public address is 422 callback_refused; else one guarded request without credentials asks for tools/list, and callers see the same for every reason to read nothing.',
  },
  'harness.transcript': {
    source: 'harness § Transcript',
    behavior:
      'Requests and answers of every step are digested, and the transcript has a hash that a reader works out again; what a test holds never changes.',
  },
  'harness.secrets': {
    source: 'harness § Transcript',
    behavior:
      'No access key, token or private key of a test stands in a row, a transcript or a history of a workflow.',
  },
  'regression.persist': {
    source: 'harness § Reports',
    behavior:
      'A completed test has one report, made of its stored transcript whose hash is worked out again, with a receipt; a running one is 409 not_ready.',
  },
  'regression.store': {
    source: 'harness § Reports',
    behavior:
      'A report of an agent is not verified, is read by that agent alone, and is limited to a hundred a day.',
  },
  'regression.diff': {
    source: 'harness § Reports',
    behavior:
      'A report says which steps newly fail and which are fixed since the one before of the same suite and source; a list has the trend of all that its filter takes.',
  },
} as const
