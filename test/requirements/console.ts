/** Requirements on the operator console: id → source and behavior. */
export const consoleRequirements = {
  'console.session': {
    source: 'decision',
    behavior:
      'An operator signs in with a credential, or at the configured issuer with authorization code and PKCE. The session is a HttpOnly, SameSite=Strict cookie that works only with the header X-CSRF-Token, lasts eight hours at most, and ends with signing out, with the end of the operator’s credential, or when another operator ends it.',
  },
  'console.session-forged': {
    source: 'stack § Database roles',
    behavior:
      'The database alone makes no caller an operator or an agent: a session carries a code by a token key over its digest, operator and end, lives one day at most, and stays ended; a secret of an access key counts where a token key derives it.',
  },
  'console.session-cookie': {
    source: 'decision',
    behavior:
      'Where the service is reached over HTTPS, the cookies of the console have the prefix __Host-, and no other counts.',
  },
  'console.inbox': {
    source: 'decision',
    behavior:
      'The inbox lists everything that waits for a person, longest first: decisions, stopped work and differences, each with its age, the money at stake and what to do. Filters leave a kind, a rail, a code, a least age or a least amount. Only operators read it.',
  },
  'console.pilots': {
    source: 'pilots § List',
    behavior:
      'The page Pilots lists the pilots of every source with state, price and desired start; each leads to its review page, which says what a rejection does and closes it.',
  },
  'console.batch': {
    source: 'decision',
    behavior:
      'A batch decides the same about subjects of one kind with equal acceptance criteria, each by the root of its evidence as it was listed. A changed subject is refused and the others continue; every subject has an outcome; a dry run decides nothing; a repeat decides nothing again.',
  },
  'console.work': {
    source: 'decision',
    behavior:
      'Operators find payouts and tasks by id, agent, wallet, reference, transaction or state, and see what one waits for, everything that happened to it, and the commands that unblock it. A command leaves a signed receipt.',
  },
  'console.money': {
    source: 'decision',
    behavior:
      'Operators read balances, the daily cap, credit, what wallets hold and owe, revenue and fees as the sums of the postings, call fees apart, statements, gas wallets, and what moved over a day and over 30 days.',
  },
  'console.agents': {
    source: 'decision',
    behavior:
      'Operators find agents by id, account, name or e-mail address, and read what is paused and who paused it.',
  },
  'console.keys': {
    source: 'decision',
    behavior:
      'Operators read the trust limits, access keys, signing keys and past decisions of an agent, set its limits with an approval, and rotate and revoke its access keys; they publish, retire and revoke the keys of the service. Each act has a reason and a signed receipt.',
  },
  'console.authority': {
    source: 'authority § Console',
    behavior:
      'Operators find mandates of authority and of AP2, grants and delegated actions by id, agent, principal or state, with exact amounts; read the rules and receipt of each decision; and revoke a mandate with a reason. No other caller reads them.',
  },
  'console.rings': {
    source: 'decision',
    behavior:
      'Operators read the six rings of signing keys with the standing and times of each key and the step of a rotation, begin a rotation of one ring or of all, and replace a stolen key.',
  },
  'console.limits': {
    source: 'agents § Trust',
    behavior:
      'An operator changes single limits of a trusted agent without holding it, with a reason and a signed receipt. The next call and the next payment are held to the new limits in every process; SQL refuses limits that change without a decision or receipt.',
  },
  'review.proposed': {
    source: 'tasks § Recovery',
    behavior:
      'An input that an operator sends to recover a stopped task, or as the evidence that a task waits for, is a proposal: the task stays stopped until its owner accepts exactly it. A later proposal takes the place of an earlier one. Ledger and receipt name its digest, and SQL refuses a proposal without its ledger entry.',
  },
  'review.declined': {
    source: 'tasks § Recovery',
    behavior:
      'The agent of a task, by signature, and the holder of an order decline a proposed input with a reason. Operators read who declined what and why; the exception stays open for another proposal. Ledger and receipt name the digest and the reason.',
  },
  'console.progress': {
    source: 'decision',
    behavior:
      'Of a task, operators see the step that its run is at, and how much of its uploaded lists that step has read; of a run that was given up, how many steps of its last attempt were done.',
  },
  'console.charts': {
    source: 'decision',
    behavior:
      'Lists of input and result with times or labels and a number of a known name, buckets and coverage are charts: cost by day and model, meter load, ageing, coverage. Any document gives at most six.',
  },
  'console.races': {
    source: 'decision',
    behavior:
      'When two operators decide at once there is one decision, and the other one reads that it was not recorded and the state now. A page whose session ends shows nothing more, and a page follows changes again after the service was restarted.',
  },
  'console.pages': {
    source: 'decision',
    behavior:
      'The console is static files of this host with a strict Content-Security-Policy and Trusted Types. It makes no foreign request, calls only declared operations, follows changes by Server-Sent Events, works by keyboard, on a phone, in light and dark, and has no axe violation.',
  },
  'console.drafts': {
    source: 'model § At the review',
    behavior:
      'While a run waits for its review, its evidence has the drafts of the round, and the page shows the label, each sentence with its quotes and their places, and what was dropped. All of it is text.',
  },
  'console.stories': {
    source: 'decision',
    behavior:
      'In a browser an operator makes the decisions of a first purchase without typing an id, and finds, understands and wakes a stuck payout.',
  },
  'pages.documents': {
    source: 'decision',
    behavior:
      'A receipt and the subject of a status link open in a browser as a page without scripts: what happened in words, each check with its reason, the receipt before it, and the transaction at a block explorer. Programs get JSON from the same address.',
  },
  'pages.refusals': {
    source: 'calls § Pages',
    behavior:
      'An unknown or malformed status link, package link or receipt link is a readable page without scripts for browsers, with the status of the problem; programs get problem JSON. The page does not repeat the token.',
  },
  'pages.return-package': {
    source: 'runs § Return package',
    behavior:
      'The status link of an attested task leads to its return package: a page without scripts for browsers, with order, first rows of the result, gaps, findings, reviews, checks with their reason, and receipts; JSON or a file for programs. Only its own token reads it.',
  },
  'console.forgery': {
    source: 'decision',
    behavior:
      'Markup, scripts, bidirectional overrides and terminal sequences in the text of an agent are shown as text.',
  },
} as const
