/** Requirements on how every view explains a wait: id → source and behavior. */
export const viewsRequirements = {
  'views.text': {
    source: 'calls § Text of callers',
    behavior:
      'Text that callers wrote shows no control characters in terminals and pages. In Markdown it is inline code, so its markup, links and images have no effect.',
  },
  'views.text-fields': {
    source: 'calls § Text of callers',
    behavior:
      'Text fields refuse control characters other than tab and line feed, and bidi overrides, with 400 and a pointer.',
  },
  'views.wait': {
    source: 'tasks § Waiting',
    behavior:
      'The run status, the exceptions, the recover command and the Temporal UI show the same wait: its condition and start, the gaps with JSON pointers, the pending review, and the required action with its arguments.',
  },
  'views.review': {
    source: 'agents § Reviews',
    behavior:
      'A run that needs a review shows waiting_for ["review"] and its start. The review console names the call that decides, and the gaps.',
  },
  'views.details': {
    source: 'payouts § Workflow',
    behavior:
      'Commands in the details of a workflow are code blocks. The last receipt is visible in the Temporal UI.',
  },
  'views.summary': {
    source: 'payouts § Workflow',
    behavior:
      'Workflow lists can show the summary of payouts, tasks, runs and callbacks: it is a search attribute.',
  },
  'views.attention': {
    source: 'payouts § Workflow',
    behavior:
      'A run that completes or is cancelled clears NeedsAttention. Views query only running workflows.',
  },
  'views.backoff': {
    source: 'payouts § Execute',
    behavior:
      'A transfer that cannot be sent is retried after 15 s, then after twice the time, up to 10 minutes. A wake retries at once.',
  },
  'status.wait': {
    source: 'payouts § Status',
    behavior:
      'payout-status with Prefer: wait=N answers with the next change, after N and at most 20 seconds as it is, with Preference-Applied; it costs one read, is charged before it waits, and holds no connection of the database.',
  },
  'payout.callbacks': {
    source: 'callbacks § Payout callbacks',
    behavior:
      'A wallet sets one callback URL for its payouts; each that is executed, final or dead is delivered as payout_updated, signed and retried as task callbacks are, once its host has echoed a nonce.',
  },
  'payout.callbacks.url': {
    source: 'callbacks § Payout callbacks',
    behavior:
      'A callback URL that callbacks of tasks may not have is refused with 422, and null ends the callbacks.',
  },
  'views.money-moved': {
    source: 'tasks § Exceptions',
    behavior:
      'An exception of a synthetic run says that no money moved. A run without a package says what it waits for.',
  },
  'cli.plain': {
    source: 'stack § Command line',
    behavior:
      'The command line prints its version. On the first day it says that no statement is signed yet and exits with 0. It names the folder of the accounts, and lists payouts that wait for their creator.',
  },
} as const
