import { admissionRequirements } from './admission-requirements.ts'
import { callerRequirements } from './callers-requirements.ts'
import { conformanceRequirements } from './conformance-requirements.ts'
import { firstUseRequirements } from './first-use-requirements.ts'
import { isolationRequirements } from './isolation-requirements.ts'
import { keyStandingRequirements } from './key-standing-requirements.ts'
import { packageRequirements } from './package-requirements.ts'
import { railRequirements } from './rail-requirements.ts'
import { returnedMoneyRequirements } from './returned-money-requirements.ts'
import { signerRequirements } from './signer-requirements.ts'
import { taskRequirements } from './task-requirements.ts'
import { viewsRequirements } from './views-requirements.ts'
import { walletRequirements } from './wallet-requirements.ts'

/** One demand on the product: where it stands, and the behavior that a test can prove. `deferred` says why it has no test yet. */
export type Requirement = { readonly source: string; readonly behavior: string; readonly deferred?: string }

/**
 * What the payout rail owes, as data: id → demand. A test cites ids with `verifies('…', …)`; `coverage.test.ts` fails on an id
 * that no test cites. `source` names the document and its section; `decision` marks what no document shows.
 */
export const requirements = {
  // Payout terms and create.
  'payout.create.created': {
    source: 'payout-and-trust § States and transitions',
    behavior: 'A valid create fixes the terms, is created, and answers a signed receipt.',
  },
  'payout.create.idempotent': {
    source: 'payout.md § Identity and terms',
    behavior: '50 identical creates in parallel: one payout, one workflow, one charge.',
  },
  'payout.create.conflict': {
    source: 'payout.md § Identity and terms',
    behavior: 'Other terms under the same key, also in parallel: 422 idempotency_conflict, nothing changed.',
  },
  'payout.create.same-amount-text': {
    source: 'payout.md § Identity and terms',
    behavior: '1.0 and 1.00 are the same payout.',
  },
  'payout.create.schema': {
    source: 'payout-and-trust § payout-create',
    behavior: 'Every bound of the create fields is enforced; unknown properties are refused.',
  },
  'payout.create.cap': {
    source: 'payout-and-trust § Payout pricing and caps',
    behavior: 'Over 25000000 atomic: 422 payout_cap_exceeded; exactly 25000000 is accepted.',
  },
  'payout.create.zero-amount': { source: 'payout.md § Identity and terms', behavior: 'An amount of zero is refused.' },
  'payout.create.recipient-refused': {
    source: 'payout.md § Identity and terms',
    behavior: 'The zero address, the asset and our own addresses as recipient: 422 recipient_refused.',
  },
  'payout.create.usage-default': {
    source: 'payout.md § Identity and terms',
    behavior: 'usage defaults to unspecified and is what the caller declared otherwise.',
  },
  'payout.id.derivation': {
    source: 'payout.md § Identity and terms',
    behavior: 'payout_id is po_ and the SHA-256 of creator and key, and is the workflow id.',
  },
  'payout.terms.digest': {
    source: 'payout.md § Identity and terms',
    behavior: 'The terms digest is the SHA-256 of the canonical terms and stands in every receipt.',
  },
  'payout.money.exact': {
    source: 'payout-and-trust § Payout pricing and caps',
    behavior:
      'amount_usdc becomes atomic units by string arithmetic with six places, and is printed in its shortest form.',
  },
  'payout.state.table': {
    source: 'payout-and-trust § States and transitions',
    behavior: 'Only create, authorize and execute in this order move a payout; every other pair is refused.',
  },
  'payout.state.guarded-in-sql': {
    source: 'payout.md § Two guards for each invariant',
    behavior: 'SQL refuses a transition outside the table and a change of terms, also when typed by hand.',
  },
  'payout.answer.body': {
    source: 'payout.md § Answer body',
    behavior: 'Every payout answer has the documented members and no others.',
  },
  'payout.creator-only': {
    source: 'payout.md § Identity and terms',
    behavior: 'authorize, execute and status of an unknown payout or of another creator: 404.',
  },

  // Money: prices, credit, payment references.
  'money.prices': {
    source: 'agent-commerce § Prices',
    behavior: 'Both price tables come out of one rule: the base, and 8 % of it on standard and pro.',
  },
  'money.quote-lines': {
    source: 'endpoints.md § 9',
    behavior: 'A quote has lines that sum to its total; units multiply it; a rail that is not sold has no quote.',
  },
  'money.states': {
    source: 'endpoints.md § 22.3',
    behavior: 'Entitlement, challenge and reference move only along their tables, in code and in SQL.',
  },
  'money.double-entry': {
    source: 'tasks.md § Money',
    behavior: 'Every movement balances, the fee is exact however credit is consumed, and no credit falls below zero.',
  },
  'money.methods': {
    source: 'agent-commerce § Enumerations',
    behavior: 'The seven accepted methods, each confirmed by somebody else than its presenter.',
  },
  'money.stablecoin': {
    source: 'tasks.md § Money',
    behavior:
      'A stablecoin reference is one exact plain transfer, final on chain, that its payer signed for the challenge.',
  },
  'money.ap2': {
    source: 'tasks.md § Money',
    behavior: 'An AP2 reference is a presentation bound to the challenge; its replay keys are those of payouts.',
  },
  'money.webhook-signature': {
    source: 'api-conventions § Access kinds',
    behavior: 'A provider’s event is signed over its raw bytes, v1, v1a or Stripe’s form, and at most 300 s old.',
  },
  'money.provider-event': {
    source: 'endpoints.md § 20',
    behavior: 'Events of every scheme are one of four types about one payment before anything is made of them.',
  },
  'money.usage-chain': {
    source: 'endpoints.md § 28',
    behavior: 'Usage events are hash-chained: what was changed, removed or added afterwards is found.',
  },
  'money.sql.balanced': {
    source: 'tasks.md § Money',
    behavior: 'SQL refuses postings that do not balance, any change of one, and credit or a wallet below zero.',
  },
  'money.sql.receipts': {
    source: 'agent-commerce § What the service does',
    behavior: 'A settlement receipt funds, a usage receipt consumes, and SQL lets no other receipt do either.',
  },
  'money.quote': {
    source: 'endpoints.md § 9',
    behavior: 'A quote lives 24 hours, and the same caller gets the same one again within five minutes.',
  },
  'money.challenge': {
    source: 'endpoints.md § 1.1',
    behavior: 'A quote has at most one open challenge; a pending payment is named instead of a new challenge.',
  },
  'money.reference': {
    source: 'endpoints.md § 11',
    behavior:
      'A payment reference is unique, funds only once it is verified, and frees its challenge when proven empty.',
  },
  'money.spending-limit': {
    source: 'endpoints.md § 1.3',
    behavior:
      'An agent presents no payment over what an operator lets it spend at once, in any way; what a provider says is paid counts.',
  },
  'money.provider': {
    source: 'endpoints.md § 20',
    behavior: 'A provider’s events fund, reject or refund by session, challenge and exact amount, each at most once.',
  },
  'money.allowance': {
    source: 'endpoints.md § 12',
    behavior: 'An allowance wallet pays at once within its limits; its balance is exact under concurrency.',
  },
  'money.x402': {
    source: 'tasks.md § Money',
    behavior: 'An x402 reference is claimed once, settles by its own workflow, and counts when it is final on chain.',
  },
  'money.consume': {
    source: 'tasks.md § Money',
    behavior: 'A use consumes credit exactly once, with a usage receipt; 100 at once never take more than there is.',
  },
  'money.return': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Credit that was not consumed goes back once to where it came from.',
  },
  'money.http.prices': {
    source: 'agent-commerce § Prices',
    behavior: 'Every number of both price tables stands in the price list and in the quotes that the API gives.',
  },
  'money.http.challenge': {
    source: 'endpoints.md § 11',
    behavior:
      'A challenge is answered as a 402 problem with its seven methods; repeated, or asked for 100 times at once, it is one challenge.',
  },
  'money.http.methods': {
    source: 'endpoints.md § 11',
    behavior: 'Over HTTP each method funds an entitlement once its confirmation is there, or is refused with its code.',
  },
  'money.http.owner': {
    source: 'endpoints.md § 1.2',
    behavior: 'Payments and credit are read by their agent and by operators, and by nobody else.',
  },
  'money.http.once': {
    source: 'endpoints.md § 29',
    behavior:
      'One payment funds one credit, however often, by whomever and however many times at once it is presented.',
  },
  'money.http.provider': {
    source: 'endpoints.md § 20',
    behavior: 'A provider’s event is believed by its signature alone, counts once, and never pays a wrong amount.',
  },
  'money.refund': {
    source: 'endpoints.md § 22.3',
    behavior: 'A payment that was taken back takes what is left and what was earned, once.',
  },

  // Challenge, mandate, authorize.
  'challenge.answer': {
    source: 'payout.md § payout-challenge',
    behavior:
      'A challenge answers token, ES256 checkout of 10 cents with the request digest, its hash, nonce, audience, both holder bindings and expiry.',
  },
  'challenge.holder-unknown': {
    source: 'payout.md § payout-challenge',
    behavior: 'A holder wallet that is not configured: 403 holder_unknown.',
  },
  'challenge.input-exact': {
    source: 'payout-and-trust § payout-challenge input',
    behavior: 'The input is exactly holder_wallet and request_sha256.',
  },
  'authority.request-digest': {
    source: 'payout-and-trust § payout-challenge input',
    behavior: 'request_sha256 is the SHA-256 of the canonical JSON of the eight named keys.',
  },
  'authority.eip712': {
    source: 'payout-and-trust § Principal authorization',
    behavior: 'Domain, types and message mapping of the principal authorization give the documented digest.',
  },
  'mandate.issue': {
    source: 'payout.md § issue_mandate for a payout',
    behavior: 'An operator issues a dc+sd-jwt mandate for a created payout and sees recipient and amount.',
  },
  'mandate.issue.operator-only': {
    source: 'payout-and-trust § Endpoints',
    behavior: 'issue_mandate without an operator credential: 401.',
  },
  'mandate.issue.digest-mismatch': {
    source: 'payout.md § issue_mandate for a payout',
    behavior: 'A checkout for another payout: 403 request_digest_mismatch.',
  },
  'mandate.issue.holder-proof': {
    source: 'payout.md § issue_mandate for a payout',
    behavior: 'A holder proof that the holder did not sign is refused.',
  },
  'binding.v1': {
    source: 'payout-and-trust § Holder bindings',
    behavior: 'Binding version 1 is an ES256K kb+jwt of the holder.',
  },
  'binding.v2': {
    source: 'payout-and-trust § Holder bindings',
    behavior: 'Binding version 2 is a personal_sign over service-holder-binding-v2.',
  },
  'authorize.authorized': {
    source: 'payout-and-trust § States and transitions',
    behavior:
      'A valid principal signature and an unused presentation authorize the payout, bind the mandate reference and answer a receipt.',
  },
  'authorize.retry': {
    source: 'api-conventions § Idempotency',
    behavior: 'The same authorize again answers as the first did; other content under its key: 422.',
  },
  'authorize.schema': {
    source: 'payout-and-trust § payout-authorize',
    behavior: 'Every bound of the authorize fields is enforced; unknown properties are refused.',
  },
  'authorize.principal-signature': {
    source: 'payout.md § payout-authorize',
    behavior:
      'Swapped recipient, amount, expiry or key, a foreign domain or chain, a malleated s, a wrong signer: 403 principal_signature_invalid.',
  },
  'authorize.issuer-untrusted': {
    source: 'payout.md § payout-authorize',
    behavior: 'A mandate of an issuer or key that is no anchor: 403 issuer_untrusted.',
  },
  'authorize.mandate-invalid': {
    source: 'payout.md § payout-authorize',
    behavior:
      'Wrong typ, alg, vct, _sd_alg, an unreferenced, repeated or dropped disclosure, a status claim: 403 mandate_invalid.',
  },
  'authorize.key-binding-missing': {
    source: 'payout.md § payout-authorize',
    behavior: 'A presentation without key binding: 403 key_binding_missing.',
  },
  'authorize.key-binding-invalid': {
    source: 'payout.md § payout-authorize',
    behavior: 'A broken key binding: 403 key_binding_invalid.',
  },
  'authorize.key-binding-expired': {
    source: 'payout.md § payout-authorize',
    behavior: 'A key binding over 300 s old: 403 key_binding_expired.',
  },
  'authorize.audience': {
    source: 'payout.md § payout-authorize',
    behavior: 'A key binding for another audience: 403 audience_mismatch.',
  },
  'authorize.request-digest': {
    source: 'payout.md § payout-authorize',
    behavior: 'A presentation that commits to another request: 403 request_digest_mismatch.',
  },
  'authorize.presentation-consumed': {
    source: 'payout.md § payout-authorize',
    behavior: 'A used presentation: 409 presentation_consumed.',
  },
  'authorize.challenge-consumed': {
    source: 'payout.md § payout-authorize',
    behavior: 'A used challenge: 409 challenge_consumed.',
  },
  'authorize.mandate-consumed': {
    source: 'payout.md § payout-authorize',
    behavior: 'A used mandate, also for two payouts in parallel: 409 mandate_consumed.',
  },
  'authorize.expired': {
    source: 'payout.md § payout-authorize',
    behavior: 'A passed expiry: 410 challenge_expired or payout_expired.',
  },
  'authorize.refusal-changes-nothing': {
    source: 'payout.md § payout-authorize',
    behavior: 'A refused authorize leaves state, ledger and receipts as they were.',
  },

  // Execute.
  'execute.executed': {
    source: 'payout-and-trust § States and transitions',
    behavior:
      'An authorized, unexpired payout is transferred, confirmed and executed with the transaction hash in its receipt.',
  },
  'execute.once': {
    source: 'payout.md § payout-execute',
    behavior: '100 executes in parallel over two API and two worker processes: one transfer, every answer agrees.',
  },
  'execute.wrong-state': {
    source: 'payout-and-trust § Errors',
    behavior: 'An unauthorized payout cannot be executed: 409 wrong_state with the allowed events.',
  },
  'execute.expired': {
    source: 'payout-and-trust § Errors',
    behavior: 'With under 30 s of life left: 410 payout_expired.',
  },
  'execute.daily-cap': {
    source: 'payout-and-trust § Limits',
    behavior:
      'Reservations, also in parallel, never add up to over 100000000 atomic: 409 daily_cap_exceeded with the time it frees up.',
  },
  'execute.stored-before-sent': {
    source: 'payout-and-trust § States and transitions',
    behavior: 'Nonce and signed transfer are stored before submission, and a re-entry broadcasts the stored bytes.',
  },
  'execute.nonce': {
    source: 'payout.md § payout-execute',
    behavior: 'The EIP-3009 nonce is derived from asset and payout id.',
  },
  'execute.never-resigned': {
    source: 'payout.md § payout-execute',
    behavior: 'A signed authorization is never replaced by another signature or other terms.',
  },
  'execute.signed-when-reserved': {
    source: 'decision',
    behavior:
      'A worker that has the key reserves a transfer with its signature, or not at all; where it has none the signing queue adds the signature.',
  },
  'calls.answered-when-stored': {
    source: 'decision',
    behavior:
      'A caller has the answer of a workflow’s step once that is stored, whether Temporal has noted the step or went away.',
  },
  'execute.submit-errors': {
    source: 'payout.md § payout-execute',
    behavior: 'Known and repeated broadcasts count as sent; nonce too low leads to reconciliation.',
  },
  'execute.fee-bump': {
    source: 'payout.md § payout-execute',
    behavior: 'An unmined transaction is replaced at the same EOA nonce with at least 12.5 % more; every hash is kept.',
  },
  'lane.alarm': {
    source: 'decision',
    behavior:
      'A lane that has not moved for LANE_JAM_AFTER_MS is told by metrics, readyz, doctor, one line of the log and the parked transfers behind it.',
  },
  'lane.heals': {
    source: 'decision',
    behavior: 'Every kind of jam heals without a person, an empty gas wallet by the others.',
  },
  'lane.shared': {
    source: 'decision',
    behavior: 'Gas wallets share the load, and 1,000 executes at once drain with no stuck nonce, each executed once.',
  },
  'lane.laws': {
    source: 'payout.md § payout-execute',
    behavior:
      'Each replacement offers at least an eighth more and no more than the ceiling; every node error has one reading; a wallet is chosen by ether, jam and load.',
  },
  'lane.frugal': {
    source: 'decision',
    behavior: 'A submit costs two requests to the chain beside those that all submits of a second share.',
  },
  'confirm.frugal': {
    source: 'decision',
    behavior:
      'Those who wait for confirmations share the heights of a process, and ask only when there are new blocks.',
  },
  'execute.confirmed-by-logs': {
    source: 'payout.md § payout-execute',
    behavior: 'AuthorizationUsed beside the exact Transfer confirms, whoever sent it.',
  },
  'execute.final': {
    source: 'payout.md § payout-execute',
    behavior: 'When the block is finalized a payout_final receipt follows.',
  },
  'execute.reorg': { source: 'payout.md § payout-execute', behavior: 'A vanished block re-broadcasts the same bytes.' },
  'execute.dead': {
    source: 'payout.md § payout-execute',
    behavior: 'Expired unused in a finalized block: dead, cap released, receipt that no money moved.',
  },
  'execute.nonce-conflict': {
    source: 'payout.md § payout-execute',
    behavior: 'A used nonce without our Transfer: nonce_conflict, cap held, NeedsAttention.',
  },
  'execute.voided': {
    source: 'payout.md § payout-execute',
    behavior:
      'Executed, then vanished and expired: payout_voided, cap released; the closed run keeps its ExceptionCode.',
  },
  'execute.accepted': {
    source: 'payout.md § payout-execute',
    behavior:
      'Not confirmed within the wait: 202 with state authorized, transfer status and money_moved unknown; a repeat joins.',
  },
  'execute.parked': {
    source: 'payout.md § payout-execute',
    behavior: 'A reserved payout whose transfer cannot be sent parks with a reason and goes on by itself.',
  },
  'execute.paused': {
    source: 'payout.md § payout-execute',
    behavior: 'A payout paused by an operator is not reserved: 503 paused.',
  },
  'execute.key-secrecy': {
    source: 'payout.md § payout-execute',
    behavior: 'No key enters workflow history, logs or errors.',
  },

  // Status.
  'status.exactly-one': {
    source: 'payout-and-trust § payout-status',
    behavior: 'Both or neither of payout_id and idempotency_key: 400.',
  },
  'status.by-either': {
    source: 'payout-and-trust § payout-status',
    behavior: 'A payout is found by its id and by its create key.',
  },
  'status.creator': {
    source: 'payout-and-trust § Authentication',
    behavior: 'The wallet proof of another wallet: 404.',
  },
  'status.read-only': {
    source: 'payout-and-trust § Endpoints',
    behavior: 'Status changes nothing and needs neither Temporal nor the chain.',
  },
  'status.repeat-afresh': {
    source: 'payout.md § payout-status',
    behavior: 'A repeated proof is answered afresh and not charged again.',
  },

  // Wallet proof.
  'proof.known-answer': {
    source: 'payout.md § Wallet proof',
    behavior: 'Text, body digest and signature reproduce the known answer of wire-facts §3.2.',
  },
  'proof.encoding': {
    source: 'payout.md § Wallet proof',
    behavior: 'The header is one base64url value of at most 2048 characters with exactly the documented members.',
  },
  'proof.required': {
    source: 'payout-and-trust § Authentication',
    behavior: 'A paid call without proof: 401 wallet_proof_required.',
  },
  'proof.unknown-member': {
    source: 'payout.md § Wallet proof',
    behavior: 'An unknown member: 401 wallet_proof_invalid.',
  },
  'proof.other-path': {
    source: 'payout-and-trust § Authentication',
    behavior: 'A proof for another path: 401 wallet_proof_invalid.',
  },
  'proof.other-method': {
    source: 'payout.md § Wallet proof',
    behavior: 'A proof for another method: 401 wallet_proof_invalid.',
  },
  'proof.other-body': {
    source: 'payout-and-trust § Authentication',
    behavior: 'A proof for another body: 401 wallet_proof_invalid.',
  },
  'proof.other-origin': {
    source: 'payout.md § Wallet proof',
    behavior: 'A proof for another origin: 401 wallet_proof_invalid; Host headers play no part.',
  },
  'proof.key-order': { source: 'payout.md § Wallet proof', behavior: 'Another order of the body’s keys passes.' },
  'proof.before-defaults': {
    source: 'payout.md § Wallet proof',
    behavior: 'The body digest is of what the caller sent, before schema defaults.',
  },
  'proof.age.old': {
    source: 'payout-and-trust § Limits',
    behavior: '300 s old passes; 301 s: 401 wallet_proof_expired.',
  },
  'proof.age.ahead': {
    source: 'payout.md § Wallet proof',
    behavior: '30 s ahead passes; 31 s: 401 wallet_proof_expired.',
  },
  'proof.upper-case': {
    source: 'payout.md § Wallet proof',
    behavior: 'An upper-case address: 401 wallet_proof_invalid.',
  },
  'proof.signature-form': {
    source: 'payout.md § Wallet proof',
    behavior: 'v of 0 or 1, high s, 64 bytes: 401 wallet_proof_invalid.',
  },
  'proof.contract-wallet': {
    source: 'payout.md § Wallet proof',
    behavior: 'An EIP-1271 wallet proves itself with one bounded eth_call.',
  },
  'proof.account-with-code': {
    source: 'payout.md § Wallet proof',
    behavior: 'An account with code (EIP-7702) whose own key signed is accepted without asking its code.',
  },
  'proof.chain-down': {
    source: 'payout.md § Wallet proof',
    behavior: 'Without RPC only wallets whose key did not sign get 503.',
  },
  'proof.replay-same': {
    source: 'payout.md § Wallet proof',
    behavior: 'The same proof 20 times in parallel: one effect, equal answers.',
  },
  'proof.replay-other-body': {
    source: 'payout.md § Wallet proof',
    behavior: 'A used nonce with another body or path: 409 wallet_proof_replayed.',
  },
  'proof.not-burnt': {
    source: 'payout.md § Wallet proof',
    behavior: 'A 400, 401, 402, 429 or 503 never uses up the nonce.',
  },
  'proof.kept': {
    source: 'payout.md § Wallet proof',
    behavior: 'Granted calls are kept with wallet, nonce, path, body digest, funding and outcome.',
  },

  // Price gate.
  'free.ten': {
    source: 'payout-and-trust § Authentication',
    behavior: '50 parallel first calls of a wallet grant exactly 10 free calls.',
  },
  'free.rolling': {
    source: 'payout.md § Price gate',
    behavior: 'A free call comes back 30 days after it was used, each for itself.',
  },
  'free.failed-call': { source: 'payout.md § Price gate', behavior: 'A failed call gives its free slot back.' },
  'free.address-limit': {
    source: 'payout.md § Price gate',
    behavior: 'Free grants are limited per client address and in all; beyond that 402.',
  },
  'x402.offer': {
    source: 'payout.md § Price gate',
    behavior:
      '402 carries PAYMENT-REQUIRED and a problem body with accepts: version 2, exact, eip155:8453, 100000 atomic.',
  },
  'x402.paid': {
    source: 'payout-and-trust § Authentication',
    behavior: 'The official x402 client pays a call, and the payment settles on chain.',
  },
  'x402.strict-payload': {
    source: 'payout.md § Price gate',
    behavior: 'permit2Authorization, an ERC-6492 wrapper or any extra member: 402 payment_invalid, handler not run.',
  },
  'x402.header-confusion': {
    source: 'wire-facts § Appendix E',
    behavior: 'X-PAYMENT, a doubled header, base64url, other terms, payTo or network: 402, handler not run.',
  },
  'x402.one-effect': {
    source: 'payout.md § Price gate',
    behavior:
      'One payment sent twice in parallel, on one or two routes: one effect, the other 409 payment_already_used.',
  },
  'x402.payment-id': {
    source: 'payout.md § Price gate',
    behavior: 'payment_id is the SHA-256 of network, asset, payer and nonce.',
  },
  'x402.remaining-life': {
    source: 'payout.md § Clocks',
    behavior: 'A payment with under 60 s of life left is refused by Postgres time.',
  },
  'x402.third-party-broadcast': {
    source: 'wire-facts § Appendix E',
    behavior: 'An authorization broadcast by somebody else counts as settled.',
  },
  'x402.empty-payer': {
    source: 'wire-facts § Appendix E',
    behavior:
      'A payer that empties the wallet before settlement: answer withheld, then 402 with the debt, no second effect.',
  },
  'x402.unknown-outcome': {
    source: 'payout.md § Price gate',
    behavior: 'An unknown settlement: 503 settlement_pending with money_moved unknown; the retry joins.',
  },
  'x402.process-killed': {
    source: 'wire-facts § Appendix E',
    behavior: 'The API killed between claim, effect and settlement: the retry gets the result, charged once.',
  },
  'x402.credit': {
    source: 'payout.md § Price gate',
    behavior: 'A call refused after settlement leaves one credit for the wallet’s next call.',
  },
  'x402.debt': {
    source: 'payout.md § Price gate',
    behavior: 'A debt blocks other calls of the wallet, status excepted, until it is paid.',
  },
  'x402.unsettled-stops-payout': {
    source: 'payout.md § Price gate',
    behavior: 'A payout with an unsettled charge takes no further step.',
  },
  'charge.only-success': {
    source: 'api-conventions § Errors',
    behavior: 'A 4xx or 5xx uses up no free call, no payment and no proof.',
  },
  'charge.grant-or-release': { source: 'payout.md § Price gate', behavior: 'Release and effect exclude each other.' },
  'charge.late-effect': {
    source: 'payout.md § Price gate',
    behavior: 'A call told 503 whose effect then ran is charged once, and its retry gets the result.',
  },

  // Receipts and discovery.
  'receipt.per-transition': {
    source: 'payout-and-trust § Events',
    behavior:
      'Each transition has a signed receipt with id, recipient, amount, usage, and hash and mandate reference when there are.',
  },
  'receipt.jws': {
    source: 'api-conventions § Signed receipts',
    behavior: 'A receipt is a compact EdDSA JWS of typ receipt+jwt that the published key verifies.',
  },
  'receipt.chain': {
    source: 'payout.md § Answer body',
    behavior: 'prev is the SHA-256 of the previous JWS of the same payout.',
  },
  'receipt.key-rotation': {
    source: 'api-conventions § Signed receipts',
    behavior:
      'A receipt of a retired key is valid when dated up to its retirement; one of a revoked key only by our store.',
  },
  'receipt.verify': {
    source: 'api-conventions § Signed receipts',
    behavior: 'GET /api/verify-receipt says valid or not, and why.',
  },
  'discovery.jwks': {
    source: 'api-conventions § Signed receipts',
    behavior: 'jwks.json has every key ever used with its times.',
  },
  'discovery.trust-contract': {
    source: 'payout-and-trust § Trust service identity',
    behavior: 'The trust contract names issuer, key, service ids, caps, price, bindings and EIP-712 domain.',
  },
  'discovery.openapi': {
    source: 'decision',
    behavior: 'openapi.json is valid OpenAPI 3.1 and lists every operation with every error code it can give.',
  },

  // The road.
  'road.problem-json': {
    source: 'api-conventions § Errors',
    behavior:
      'Every refusal is application/problem+json with code, retryable, money_moved, next_action and request_id, without a stack trace.',
  },
  'road.error-codes': {
    source: 'api-conventions § Errors',
    behavior: 'Every code belongs to one status, and 429, 502, 503 and a running call are retryable.',
  },
  'road.unknown-property': {
    source: 'payout-and-trust § Errors',
    behavior: 'An unknown property: 400 with its pointer, nothing charged.',
  },
  'road.malformed': {
    source: 'api-conventions § Errors',
    behavior: 'Malformed JSON 400, wrong content type 415, over 64 KiB 413, wrong method 405.',
  },
  'road.text': {
    source: 'api-conventions § Bodies',
    behavior: 'NUL and lone surrogates: 400; lengths count code points.',
  },
  'road.forbidden-material': {
    source: 'api-conventions § Bodies',
    behavior: 'Secrets in free text: 422 forbidden_material with the pointer, never the value; bare hex passes.',
  },
  'road.operator': {
    source: 'api-conventions § Access kinds',
    behavior:
      'An operator credential is 256 bits, stored as SHA-256; a wrong or revoked one: 401 with WWW-Authenticate.',
  },
  'road.operator-oidc': {
    source: 'api-conventions § Access kinds',
    behavior:
      'An operator may present a JWT of the configured OIDC issuer: audience and scope are checked, no other algorithm is taken, and unreadable keys are a 503.',
  },
  'road.replay': {
    source: 'api-conventions § Idempotency',
    behavior: 'A repeat of a final call answers the same with Idempotent-Replayed: true.',
  },
  'road.public-limit': {
    source: 'endpoints.md § 1.3',
    behavior:
      'Without a credential an address has 60 reads and 10 other calls a minute, over all processes; a repeat is not counted.',
  },
  'road.rate-limit': {
    source: 'api-conventions § Access kinds',
    behavior: 'Limits per wallet and address are counted in Postgres over processes: 429 with Retry-After.',
  },
  'road.headers': {
    source: 'api-conventions § Headers on every answer',
    behavior: 'Every answer has X-Request-Id, X-Interface-Version and no-store except on discovery.',
  },
  'road.canonical-json': {
    source: 'api-conventions § Canonical JSON',
    behavior: 'Digests are of RFC 8785 text, SHA-256, lowercase hex.',
  },
  'road.reads-together': {
    source: 'decision',
    behavior: 'However many read at once, none holds a connection of the database while it waits for another.',
  },
  'road.dependency-down': {
    source: 'api-conventions § Errors',
    behavior: 'Postgres or Temporal down: 503 within 2 s, and recovery by itself.',
  },
  'road.chain-down': {
    source: 'payout.md § payout-execute',
    behavior: 'The chain down: new executes and settlements 503 within 2 s with nothing reserved; free calls go on.',
  },
  'health.ready': {
    source: 'decision',
    behavior: 'readyz names Postgres, Temporal, chain, workers and clock skew, each with its state.',
  },

  // The stack and the agent that drives it.
  'stack.once': {
    source: 'overview § The stack, embedded by default',
    behavior:
      'One start brings every part up and drives one real payout through the public API; --once writes its summary and exits 0.',
  },
  'stack.second-start': {
    source: 'overview § The stack, embedded by default',
    behavior: 'A second start goes on with the same data, and two stacks run side by side.',
  },
  'stack.supervised': {
    source: 'overview § The stack, embedded by default',
    behavior: 'A part that dies is started again and said so; Ctrl-C stops all of them.',
  },
  'stack.temporal-server': {
    source: 'overview § The stack, embedded by default',
    behavior: 'The Temporal server is found, downloaded or built; when none is possible the ways out are named.',
  },
  'stack.secrets': {
    source: 'overview § The stack, embedded by default',
    behavior: 'Generated keys and accounts are files of mode 0600, made only on the local chain.',
  },
  'client.typed': {
    source: 'overview § Rooms',
    behavior: 'The typed client is derived from the operations and drives a whole payout.',
  },
  'client.comes-back': {
    source: 'overview § Who uses it',
    behavior: 'An agent that crashed after execute comes back with the same key and gets the result.',
  },
  'operate.operator-create': {
    source: 'api-conventions § Access kinds',
    behavior: 'agent-rails operator create NAME prints a working credential once.',
  },
  'operate.doctor': {
    source: 'decision',
    behavior: 'agent-rails doctor names each fault of a deployment with what to do about it, and exits 1 on any.',
  },
  'docs.operations': {
    source: 'decision',
    behavior: 'docs/operations.md has the configuration reference of the schema and names only commands that exist.',
  },
  'docs.security': {
    source: 'decision',
    behavior: 'docs/security.md says what is promised, the answer to each known attack, and how to report.',
  },
  'docs.guarantees': {
    source: 'decision',
    behavior: 'docs/guarantees.md names for each promise the tests that prove it, and how each of its figures is made.',
  },
  'ship.containers': {
    source: 'overview § The stack, embedded by default',
    behavior: 'docker-compose.yml runs the same parts as containers; api and worker scale.',
  },
  'operate.metrics': {
    source: 'api-conventions § Access kinds',
    behavior: '/metrics answers Prometheus text to loopback or an operator only.',
  },
  'operate.drain': { source: 'decision', behavior: 'A stopping process finishes the calls it has begun.' },
  'limits.documented': { source: 'payout-and-trust § Limits', behavior: 'Every limit has the number of the document.' },

  // The pages for people.
  'pages.landing': {
    source: 'decision',
    behavior: 'The front page says what this is, leads everywhere, and its walk-through runs as it stands there.',
  },
  'pages.reference': {
    source: 'decision',
    behavior: 'The reference page is made from /openapi.json, and everything that it loads comes from this host.',
  },
  'pages.problems': {
    source: 'api-conventions § Errors',
    behavior: 'The type of every refusal leads to what it means and what to do: a page for people, JSON for programs.',
  },
  'pages.policy': {
    source: 'decision',
    behavior: 'No page runs inline scripts or asks a foreign host for anything, and pages answer only GET and HEAD.',
  },

  // Durability, operation, structure.
  'durable.kill-worker': {
    source: 'payout.md § The workflow',
    behavior: 'kill -9 of the worker right after broadcast: executed once, and the retry gets the result.',
  },
  'durable.kill-parts': {
    source: 'payout.md § The workflow',
    behavior: 'kill -9 of Temporal, Postgres and the API during a payout: executed once.',
  },
  'durable.terminated': {
    source: 'payout.md § The workflow',
    behavior: 'A payout whose workflow was terminated by hand is picked up again.',
  },
  'durable.replay': {
    source: 'payout.md § The workflow',
    behavior: 'Saved histories of every payout path replay; a drifted copy is rejected.',
  },
  'payout.renewed': {
    source: 'decision',
    behavior:
      'However often a payout is called, its workflow renews itself; a run that is ending refuses updates, and callers meet the next.',
  },
  'payout.idle': {
    source: 'payout.md § The workflow',
    behavior: 'A payout that nothing happens to for too long is left to its row: its workflow ends.',
  },
  'payout.shown': {
    source: 'decision',
    behavior:
      'In the list of workflows `State` tells `authorized` with the next change, or at the first look after half an hour; what needs somebody is told at once.',
  },
  'durable.broken-run': {
    source: 'decision',
    behavior: 'A run whose workflow task fails again and again is ended, and a new one goes on from the rows.',
  },
  'durable.slow-steps': {
    source: 'decision',
    behavior: 'A step that hangs for longer than a workflow task lasts leaves a history that replays.',
  },
  'durable.contention': {
    source: 'payout.md § The workflow',
    behavior: 'At most 6 updates of one payout are in flight over all processes.',
  },
  'durable.unknown-update': {
    source: 'payout.md § The workflow',
    behavior: 'A failed update call is unknown: Postgres is read, and it is tried again.',
  },
  'operate.legible': {
    source: 'payout.md § The workflow',
    behavior: 'Summary, current details and search attributes tell state, last receipt and the act that unblocks.',
  },
  'operate.recover': {
    source: 'payout.md § The workflow',
    behavior: 'recover list, explain, wake and reconcile work without editing the database.',
  },
  // Operators' switches.
  'switches.scopes': {
    source: 'payout.md § payout-execute',
    behavior:
      'A pause of everything, the rail, a wallet or a payout refuses new executes with 503 and reserves nothing.',
  },
  'switches.ordered': {
    source: 'payout.md § payout-execute',
    behavior: 'A reservation commits before a pause or sees it; none is made after the pause.',
  },
  'switches.signed': {
    source: 'payout.md § The workflow',
    behavior:
      'Each act on a switch writes its row, its history and a signed receipt with the operator, in one transaction.',
  },
  'switches.idempotent': {
    source: 'api-conventions § Idempotency',
    behavior: 'One key is one act on a switch with one receipt; another body under it is a conflict.',
  },
  'switches.append-only': { source: 'decision', behavior: 'The history of the switches cannot be rewritten.' },
  'switches.cli': {
    source: 'payout.md § The workflow',
    behavior: 'agent-rails pause, resume and pauses act as the API does, in an operator’s name.',
  },
  'switches.told': {
    source: 'decision',
    behavior: 'readyz, the front page, doctor and the metrics tell of a pause, and the service stays ready.',
  },
  'floor.refuses': {
    source: 'decision',
    behavior:
      'An execute that would bring the payout wallet under its floor is 503 paused with nothing reserved, exact under concurrency.',
  },
  'floor.alarms': { source: 'decision', behavior: 'The floor is told in the log, the metrics and doctor.' },
  'canary.first': {
    source: 'decision',
    behavior:
      'Before the first reservation of a UTC day a small transfer goes ahead; until it is confirmed executes are 503.',
  },
  'canary.worker': {
    source: 'decision',
    behavior:
      'A worker begins the canary when its run loads it; an API, which may write no payout, only wakes that run.',
  },
  'canary.receipts': {
    source: 'decision',
    behavior: 'The canary’s receipts say that the service is its creator and the configuration its authority.',
  },
  'canary.fails': {
    source: 'decision',
    behavior: 'A canary that is proven dead or in conflict pauses the rail, until an operator resumes it.',
  },
  'reconcile.schedule': {
    source: 'payout.md § Two guards for each invariant',
    behavior: 'A Temporal schedule, one however many workers make it, starts reconciliations that never overlap.',
  },
  'reconcile.agreement': {
    source: 'decision',
    behavior: 'Healthy traffic, and what is in flight while it is compared, opens no exception.',
  },
  'reconcile.compares': {
    source: 'decision',
    behavior: 'Each way in which chain, rows, workflows, receipts, charges, cap and lane can differ has its code.',
  },
  'reconcile.exceptions': {
    source: 'decision',
    behavior:
      'A difference that lasts opens one exception with both sides as evidence; seen again, it opens no second one.',
  },
  'reconcile.never-repairs': {
    source: 'decision',
    behavior: 'A reconciliation changes no row but its own; what it saw and no longer sees stays open, marked as gone.',
  },
  'reconcile.close': {
    source: 'decision',
    behavior:
      'Only an operator closes an exception, with a reason and a signed receipt; accepted evidence does not reopen, other evidence does.',
  },
  'reconcile.attention': {
    source: 'payout.md § The workflow',
    behavior:
      'The workflow of a payout with an open exception shows its code, and NeedsAttention while it runs; the list of what is stuck names a closed one too.',
  },
  'reconcile.read': {
    source: 'decision',
    behavior: 'GET /api/operator/reconciliation answers an operator with statement, last run and open exceptions.',
  },
  'reconcile.finds-what-changed': {
    source: 'decision',
    behavior:
      'A run takes in what was written since the snapshot of the last one, by hand as well, and all that is not final; 100,000 rows are no hindrance.',
  },
  'statement.signed': {
    source: 'decision',
    behavior:
      'One signed statement for each UTC day, once the day is final on chain, verifiable with the published keys.',
  },
  'statement.chain': {
    source: 'decision',
    behavior:
      'Statements of missed days are caught up in order, each naming the digest of the day before; none is rewritten.',
  },
  'statement.sums': {
    source: 'decision',
    behavior: 'The sums of a statement are those of the rows, and its balances those of the chain at its named blocks.',
  },
  // Agents: trust, credentials, status tokens, decisions.
  'agent.trust.table': {
    source: 'endpoints.md § 22.3 States chosen here',
    behavior: 'Each pair of trust state and decision leads along the table or is refused with what is allowed.',
  },
  'agent.trust.guarded-in-sql': {
    source: 'endpoints.md § 22.3 States chosen here',
    behavior: 'The database refuses every other move of trust, and every change of what was registered.',
  },
  'agent.register.key-once': {
    source: 'endpoints.md § 9. Agents',
    behavior: 'One key is one agent, also for registrations at once: 409 key_already_registered.',
  },
  'agent.credential.format': {
    source: 'api-conventions § Access kinds',
    behavior: 'A credential is ag_<id>_<256-bit secret>.',
  },
  'agent.credential.judged': {
    source: 'api-conventions § Access kinds',
    behavior: 'State, expiry, trust, scope, rail and amount are checked, and each thing amiss is told.',
  },
  'agent.credential.guarded-in-sql': {
    source: 'endpoints.md § 22.3 States chosen here',
    behavior: 'Credentials and signing versions move along their table only, one active and one waiting of each agent.',
  },
  'agent.credential.digest': {
    source: 'authority.md § Agent credentials',
    behavior: 'Of a credential’s secret only the SHA-256 is stored.',
  },
  'agent.credential.rotated': {
    source: 'authority.md § Agent credentials',
    behavior: 'Rotation keeps the old credential valid for a grace time, and no longer.',
  },
  'agent.delivery.order': {
    source: 'agent-commerce § States and transitions',
    behavior: 'The six steps of access key delivery are taken in the order of the document, in code and in SQL.',
  },
  'agent.delivery.notice': {
    source: 'endpoints.md § 24. Sequences → operations',
    behavior: 'An agent with a callback URL is told that its key is ready, without the key.',
  },
  'agent.steps.order': {
    source: 'agent-commerce § States and transitions',
    behavior: 'The status shows the steps of self-onboarding and access key delivery in the order of the document.',
  },
  'agent.status-token.format': {
    source: 'api-conventions § Access kinds',
    behavior: 'A status token is its prefix and 256 bits.',
  },
  'agent.signature.text': {
    source: 'decision',
    behavior:
      'What an agent signs names origin, method, path, body, status token and time, and counts for 300 seconds.',
  },
  'road.access-kinds': {
    source: 'api-conventions § Access kinds',
    behavior: 'An operation says what its kinds of access need; a status token alone only reads.',
  },
  'road.hosts': {
    source: 'api-conventions § Hosts',
    behavior: 'An operation is served on its host only: on the other one its path is 404.',
  },
  'agent.onboarding.end-to-end': {
    source: 'agent-commerce § States and transitions',
    behavior:
      'Manifest, trust state, status URL, and the six steps of access key delivery follow each other over HTTP.',
  },
  'agent.register.idempotent': {
    source: 'endpoints.md § 9. Agents',
    behavior: 'A registration repeated with its key gets the same agent and status token; other terms are a conflict.',
  },
  'agent.secrets.not-stored': {
    source: 'authority.md § Agent credentials',
    behavior: 'No status token, access key or refused secret stands in any table or log line.',
  },
  'agent.sandbox': {
    source: 'endpoints.md § 9. Agents',
    behavior: 'A sandbox agent is trusted at once, within the scopes of the sandbox.',
  },
  'agent.envelope': {
    source: 'authority.md § Agent credentials',
    behavior: 'The access key is sealed to the agent’s encryption key, or given once to a signed handshake.',
  },
  'agent.handshake.proof': {
    source: 'endpoints.md § 10. OS host',
    behavior: 'A handshake needs a live nonce of the service, signed with the status token by the registered key.',
  },
  'agent.status-token.unknown': {
    source: 'endpoints.md § 1.2 Standing errors',
    behavior: 'A malformed, foreign or unknown status token gets the same 404.',
  },
  'agent.signature.required': {
    source: 'api-conventions § Access kinds',
    behavior: 'A status token acts only with a fresh signature by the registered key over this very call.',
  },
  'agent.access': {
    source: 'api-conventions § Access kinds',
    behavior: 'A credential opens what its scope and rails cover: 401, 403 and 429 otherwise.',
  },
  'agent.rails': {
    source: 'decision',
    behavior:
      'An access key acts only on what is of its rails, named or by the id of what is bought, agreed on or run; it reads all that is the agent’s.',
  },
  'agent.revoked-at-once': {
    source: 'authority.md § Agent credentials',
    behavior: 'A revoked credential and a suspended agent stop with the next call, in every process.',
  },
  'agent.attempts.slowed': {
    source: 'authority.md § Agent credentials',
    behavior:
      'Guessing is slowed per address and per credential; what is right is accepted at once, whatever its address or others did before.',
  },
  'agent.enforce': {
    source: 'endpoints.md § 16. Production and credentials',
    behavior:
      'enforce_agent_credential says what a presented credential may do, with every reason why not, and is audited.',
  },
  'agent.statement.signed': {
    source: 'authority.md § Keys and signing versions',
    behavior:
      'The service signs what an agent states with a key of its own ring, verifiable by version and no receipt.',
  },
  'agent.statement.own-key': {
    source: 'decision',
    behavior: 'A statement by an agent’s own key (kid agt_…#version) is verified by the version that it names.',
  },
  'agent.statement.key-state': {
    source: 'authority.md § Keys and signing versions',
    behavior: 'A statement counts by how its key stood when it was made; a revoked key proves nothing.',
  },
  'agent.signing.rotated': {
    source: 'endpoints.md § 16. Production and credentials',
    behavior: 'A signing key is changed by the signatures of the old and the next key, with an overlap or at once.',
  },
  'agent.credential.rotated-over-http': {
    source: 'decision',
    behavior: 'Agent or operator rotates an access key; the next one is claimed by handshake with the registered key.',
  },
  'review.console': {
    source: 'endpoints.md § 17. Loops and review',
    behavior: 'The console lists what waits, longest first, by page, kind, state and rail, also compact.',
  },
  'review.record': {
    source: 'endpoints.md § 17. Loops and review',
    behavior: 'A decision is one row with a signed receipt, made once for each time that its subject waited.',
  },
  'agent.attempts.counted': {
    source: 'authority.md § Agent credentials',
    behavior: 'Failed attempts are counted per address and credential in Postgres, exactly over all processes.',
  },
  'store.transaction-retry': {
    source: 'decision',
    behavior: 'A transaction, or a statement by itself, is run again after a serialization failure or deadlock.',
  },
  'store.lock-order': {
    source: 'decision',
    behavior:
      'A call is locked before its payment by everybody, so that settling it and giving it up never wait for each other.',
  },
  'store.migrations': {
    source: 'decision',
    behavior: 'Migrations go forward, make the database when missing, and two processes may run them at once.',
  },
  'payout.model': {
    source: 'decision',
    behavior: 'Random interleavings of callers, repeats and crashes answer as a reference model does in some order.',
  },
  'chaos.schedule': {
    source: 'decision',
    behavior:
      'A seed gives one schedule of faults, which has every boundary of every activity and every kind of fault.',
  },
  'chaos.boundaries': {
    source: 'payout.md § The workflow',
    behavior:
      'A fault at every boundary of every activity and in every part, and a lying, deaf or reorganised chain: each payout moved once or provably never, and all records agree.',
  },
  'chaos.checker.judges': {
    source: 'decision',
    behavior: 'The checker finds nothing in a healthy batch, and each fault that is planted in its facts.',
  },
  'chaos.checker.real': {
    source: 'decision',
    behavior:
      'On the real stack the checker finds nothing in healthy payouts, and each lie that is planted beside them.',
  },
  'chaos.mutations': {
    source: 'decision',
    behavior:
      'Eight ways to break the rail fit its sources of today and compile, so that each can be shown to be caught.',
  },
  'chaos.checker.independent': {
    source: 'decision',
    behavior: 'The checker reads chain, Postgres and Temporal for itself and shares no code with the rail.',
  },
  // Outgoing HTTP.
  'outgoing.urls': {
    source: 'api-conventions § Outgoing HTTP',
    behavior:
      'Only HTTPS on 443 of a host written as a plain DNS name that is not ours; every other form is refused unasked.',
  },
  'outgoing.addresses': {
    source: 'api-conventions § Outgoing HTTP',
    behavior:
      'A name any of whose addresses is private, special, multicast or carries an IPv4 address is never reached.',
  },
  'outgoing.rebinding': {
    source: 'api-conventions § Outgoing HTTP',
    behavior: 'The name is resolved once, and the connection goes to the address that was judged.',
  },
  'outgoing.certificates': {
    source: 'api-conventions § Outgoing HTTP',
    behavior: 'The certificate is checked by name, whatever the environment says.',
  },
  'outgoing.redirects': { source: 'api-conventions § Outgoing HTTP', behavior: 'A redirect is not followed.' },
  'outgoing.bounds': {
    source: 'api-conventions § Outgoing HTTP',
    behavior: '5 s for all of a request and 64 KiB for its answer, however slow or long the other side is.',
  },
  'outgoing.allow-list': {
    source: 'api-conventions § Outgoing HTTP',
    behavior: 'CALLBACK_ALLOW_HOSTS names the origins that are reached as they are, for local work only.',
  },
  'outgoing.request': {
    source: 'decision',
    behavior: 'Every request ends in an answer with its status or in one named reason why there is none.',
  },

  // Callbacks.
  'callback.signature': {
    source: 'tasks.md § Callbacks',
    behavior: 'Standard Webhooks headers, signed v1a with the callback ring and, with a shared secret, v1.',
  },
  'callback.states': {
    source: 'endpoints.md § 22.3',
    behavior: 'A delivery moves only along its table; 2xx is taken, 410 ends it, all else is tried again.',
  },
  'callback.schedule': {
    source: 'tasks.md § Callbacks',
    behavior: 'Eight attempts, 0 s to 24 h after the end of the one before, with the same jitter for the same attempt.',
  },
  'callback.delivery': {
    source: 'endpoints.md § 20',
    behavior:
      'The body is what is known when it is sent; every attempt is recorded; 410 and the eighth failure end it.',
  },
  'callback.at-least-once': {
    source: 'tasks.md § Callbacks',
    behavior:
      'An attempt is stored before it is sent; one cut off is sent again under the same id, which a receiver takes once.',
  },
  'callback.redelivery': {
    source: 'tasks.md § Callbacks',
    behavior: 'An open delivery can be attempted at once; one that is over gets one successor.',
  },
  'callback.guarded-in-sql': {
    source: 'endpoints.md § 22.3',
    behavior: 'The table of deliveries holds in SQL as well, and attempts are only added to.',
  },
  'callback.workflow': {
    source: 'endpoints.md § 20',
    behavior:
      'One workflow for each delivery makes its attempts when they are due; its history replays and holds no URL.',
  },
  'callback.running': {
    source: 'endpoints.md § 20',
    behavior: 'Workers serve the queue of callbacks, and what they tell is read when it is sent.',
  },
  'callback.examples': {
    source: 'endpoints.md § 20',
    behavior: 'The examples are signed by the real signer at a fixed time, beside the code of the receivers.',
  },
  'callback.demo-receiver': {
    source: 'endpoints.md § 20',
    behavior:
      'The demo receiver takes what this service signed within five minutes, counts attempts, and refuses the first when asked.',
  },
  'callback.receivers': {
    source: 'endpoints.md § 20',
    behavior: 'Receivers in four languages accept what the signer makes and refuse every change of it.',
  },
  'callback.host-proof': {
    source: 'tasks.md § Callbacks',
    behavior: 'A host first echoes a signed nonce; the demo receiver need not.',
  },

  // Uploaded inputs.
  'input.stored': {
    source: 'tasks.md § Rails do real work',
    behavior: 'An uploaded input is streamed in and out of Postgres, where every process reads it, byte for byte.',
  },
  'input.digest': {
    source: 'decision',
    behavior: 'An upload whose digest is another, or that ends early, leaves nothing.',
  },
  'input.owner': { source: 'decision', behavior: 'An input belongs to who uploaded it, and is stored once.' },
  'input.bounds': { source: 'endpoints.md § 1.3', behavior: 'An upload has at most 256 MB.' },
  'input.quota': {
    source: 'decision',
    behavior: 'The inputs of one agent have at most INPUT_BYTES_PER_AGENT in all, and four are uploaded at once.',
  },
  'input.upload': {
    source: 'decision',
    behavior:
      'PUT /api/agent-inputs/{sha256} takes CSV or JSON Lines of an agent: 201, then 200; GET tells of it; all else is refused.',
  },
  'money.http.activation': {
    source: 'endpoints.md § 20',
    behavior:
      'The eight steps of the provider activation are read by payment or run, each with when and what shows it.',
  },
  'input.used': {
    source: 'tasks.md § Rails do real work',
    behavior:
      'A run input names an uploaded list as {"sha256": …}; worker and validator read it as a stream, with the result of the same rows inline.',
  },
  'input.memory': {
    source: 'decision',
    behavior: 'The memory of an upload and of reading it does not grow with its length.',
  },
  'input.kept': {
    source: 'decision',
    behavior: 'An input is removed a set time after the last task that uses it has closed.',
  },
  'input.guarded-in-sql': {
    source: 'decision',
    behavior: 'SQL lets no stored input change, be incomplete, or go while it is used.',
  },

  'structure.rooms': {
    source: 'decision',
    behavior: 'Imports, packages, SQL, environment, sizes and names keep to the rooms.',
  },
  'bench.paired': {
    source: 'decision',
    behavior: 'Two builds are compared in pairs, by the median of their ratios and its distribution-free interval.',
  },
  'docs.architecture': {
    source: 'decision',
    behavior: 'The architecture page is made from the code or agrees with it: rooms, road, states, messages, guards.',
  },
  'docs.links': {
    source: 'decision',
    behavior: 'Every relative link and every named file of the documents exists.',
  },
  'docs.examples': {
    source: 'decision',
    behavior:
      'The TypeScript of the README type-checks against the packed client, and the tour’s offline check and printed paths are true.',
  },
  'local.worthless-signatures': {
    source: 'payout.md § The local chain',
    behavior: 'The local token is at no known asset’s address and no key is from anvil’s mnemonic.',
  },
  'local.refuses-real-funds': {
    source: 'payout.md § The local chain',
    behavior: 'Real funds need REAL_FUNDS=enabled; payTo, payout wallet and treasury must be different addresses.',
  },
  ...taskRequirements,
  ...railRequirements,
  ...packageRequirements,
  ...walletRequirements,
  ...isolationRequirements,
  ...admissionRequirements,
  ...callerRequirements,
  ...signerRequirements,
  ...keyStandingRequirements,
  ...returnedMoneyRequirements,
  ...viewsRequirements,
  ...firstUseRequirements,
  ...conformanceRequirements,
} as const satisfies Record<string, Requirement>

export type RequirementId = keyof typeof requirements
