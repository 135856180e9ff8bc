import { accountRequirements } from './accounts.ts'
import { admissionRequirements } from './admission.ts'
import { ap2Requirements } from './ap2.ts'
import { attackRequirements } from './attacks.ts'
import { authorityRequirements } from './authority.ts'
import { callerRequirements } from './callers.ts'
import { commerceRequirements } from './commerce.ts'
import { conformanceRequirements } from './conformance.ts'
import { consoleRequirements } from './console.ts'
import { discoveryRequirements } from './discovery.ts'
import { evidenceRequirements } from './evidence.ts'
import { exchangeRequirements } from './exchange.ts'
import { feeRequirements } from './fees.ts'
import { firstUseRequirements } from './first-use.ts'
import { harnessRequirements } from './harness.ts'
import { isolationRequirements } from './isolation.ts'
import { keyStandingRequirements } from './key-standing.ts'
import { listingRequirements } from './listings.ts'
import { logRequirements } from './log.ts'
import { logWitnessRequirements } from './log-witness.ts'
import { loopRequirements } from './loops.ts'
import { mcpRequirements } from './mcp.ts'
import { modelRequirements } from './model.ts'
import { mppRequirements } from './mpp.ts'
import { nodeRequirements } from './nodes.ts'
import { operatorRequirements } from './operators.ts'
import { packageRequirements } from './package.ts'
import { pilotRequirements } from './pilots.ts'
import { productionRequirements } from './production.ts'
import { prospectRequirements } from './prospects.ts'
import { railRequirements } from './rail.ts'
import { recoveryRequirements } from './recovery.ts'
import { returnedMoneyRequirements } from './returned-money.ts'
import { serviceRequirements } from './services.ts'
import { signerRequirements } from './signer.ts'
import { stepRequirements } from './steps.ts'
import { stolenRequirements } from './stolen.ts'
import { taskRequirements } from './task.ts'
import { traceRequirements } from './traces.ts'
import { trustOperationRequirements } from './trust-operations.ts'
import { verificationRequirements } from './verification.ts'
import { viewsRequirements } from './views.ts'
import { walletRequirements } from './wallet.ts'

/** One demand on the product: where it stands, and the behavior that a test can prove. `deferred` says why it has no test yet. */
export type Requirement = {
  readonly source: string
  readonly behavior: string
  readonly deferred?: string
}

/**
 * What the payout rail owes, as data: id → demand. A test cites ids with `verifies('…', …)`; `coverage.test.ts` fails on an id
 * that no test cites. `source` names the document and its section; `decision` marks what no document shows.
 */
export const requirements = {
  // Payout terms and create.
  'payout.create.created': {
    source: 'payouts § States and transitions',
    behavior:
      'A valid create fixes the terms, sets the state created and returns a signed receipt.',
  },
  'payout.create.idempotent': {
    source: 'payouts § Identity and terms',
    behavior: '50 identical parallel creates make one payout, one workflow and one charge.',
  },
  'payout.create.conflict': {
    source: 'payouts § Identity and terms',
    behavior:
      'Other terms under the same key, also in parallel, return 422 idempotency_conflict and change nothing.',
  },
  'payout.create.same-amount-text': {
    source: 'payouts § Identity and terms',
    behavior: 'The amounts 1.0 and 1.00 under one key are the same payout.',
  },
  'payout.create.schema': {
    source: 'payouts § Create',
    behavior: 'The API enforces every bound of the create fields and refuses unknown properties.',
  },
  'payout.create.cap': {
    source: 'payouts § Amounts and caps',
    behavior:
      'A create of more than 25000000 atomic returns 422 payout_cap_exceeded. A create of exactly 25000000 is accepted.',
  },
  'payout.create.zero-amount': {
    source: 'payouts § Create',
    behavior: 'The API refuses an amount of zero.',
  },
  'payout.create.recipient-refused': {
    source: 'payouts § Create',
    behavior:
      'A create returns 422 recipient_refused when the recipient is the zero address, the asset or one of our own addresses.',
  },
  'payout.create.usage-default': {
    source: 'payouts § Create',
    behavior:
      'The usage of a payout is the value that the caller declared, or unspecified by default.',
  },
  'payout.id.derivation': {
    source: 'payouts § Identity and terms',
    behavior:
      'A payout_id is po_ and the SHA-256 of the creator and the idempotency key. It is also the id of the workflow.',
  },
  'payout.terms.digest': {
    source: 'payouts § Identity and terms',
    behavior:
      'The terms digest is the SHA-256 of the canonical terms. Every receipt of the payout contains it.',
  },
  'payout.money.exact': {
    source: 'payouts § Amounts and caps',
    behavior:
      'amount_usdc becomes atomic units by string arithmetic with six decimal places, and is printed in its shortest form.',
  },
  'payout.state.table': {
    source: 'payouts § States and transitions',
    behavior:
      'Only create, authorize and execute, in this order, change the state of a payout. Every other pair of state and operation is refused.',
  },
  'payout.state.guarded-in-sql': {
    source: 'payouts § Guards',
    behavior:
      'SQL refuses a transition that is not in the state table and a change of the terms, in manual statements as well.',
  },
  'payout.answer.body': {
    source: 'payouts § Response body',
    behavior: 'Every payout response has exactly the documented members.',
  },
  'payout.creator-only': {
    source: 'payouts § Identity and terms',
    behavior:
      'The operations authorize, execute and status return 404 for an unknown payout and for a payout of another creator.',
  },

  // Money: prices, credit, payment references.
  'money.prices': {
    source: 'money § Prices',
    behavior:
      'One rule makes both price tables: the base price, plus a fee of 8 % on the tiers standard and pro.',
  },
  'money.quote-lines': {
    source: 'money § Quotes',
    behavior:
      'The lines of a quote sum to its total, and units multiply the total. A rail that is not sold has no quote.',
  },
  'money.states': {
    source: 'money § Payment references',
    behavior:
      'Entitlements, challenges and payment references change state only along their tables, in code and in SQL.',
  },
  'money.double-entry': {
    source: 'money § Credit',
    behavior:
      'Every movement of credit balances, the fee is exact for every use, and no credit falls below zero.',
  },
  'money.methods': {
    source: 'money § Payment methods',
    behavior: 'Each of the seven payment methods is confirmed by another party than its presenter.',
  },
  'money.stablecoin': {
    source: 'money § Payment methods',
    behavior:
      'A stablecoin reference is one exact plain transfer that is final on chain and that its payer signed for the challenge.',
  },
  'money.ap2': {
    source: 'money § Payment methods',
    behavior:
      'An AP2 reference is confirmed by the money that its mandate names, never by a mandate alone. Its challenge and nonce are in the same replay ledger as those of payouts.',
  },
  'money.webhook-signature': {
    source: 'money § Provider events',
    behavior:
      'The event of a provider is accepted when its raw bytes are signed as v1, v1a or in Stripe’s form and the signature is at most 300 seconds old.',
  },
  'money.provider-event-form': {
    source: 'money § Provider events',
    behavior:
      'A signed event of at most 1 MiB whose type says nothing about a payment is 202 and not accepted, whatever its shape. NUL, other control characters and lone surrogates in the names of any other event are 400. Beyond the limit of its address no large body is read.',
  },
  'money.provider-event': {
    source: 'money § Provider events',
    behavior: 'The events of every provider are mapped to one of four types about one payment.',
  },
  'money.usage-chain': {
    source: 'money § Usage ledger',
    behavior: 'Usage events form a hash chain. A changed, removed or added event is detected.',
  },
  'money.sql.balanced': {
    source: 'money § Credit',
    behavior:
      'SQL refuses unbalanced postings, every change of a posting, and a balance of credit or a wallet below zero.',
  },
  'money.sql.receipts': {
    source: 'money § Credit',
    behavior:
      'Only a settlement receipt funds credit, and only a usage receipt consumes it. SQL enforces both.',
  },
  'money.quote': {
    source: 'money § Quotes',
    behavior: 'A quote lives 24 hours. An idempotency key makes one quote, and two keys make two.',
  },
  'money.challenge': {
    source: 'money § Challenges',
    behavior:
      'A quote has at most one open challenge. While a payment is pending, the response names it instead of a new challenge.',
  },
  'money.reference': {
    source: 'money § Payment references',
    behavior:
      'A payment reference is unique and funds credit only after it is verified. Its challenge becomes free when the reference is proven to be empty.',
  },
  'money.named': {
    source: 'money § Provider events',
    behavior:
      'The name of a payment is no proof: an event funds what it names itself, and an operator decides a payment that names nothing. The first to name a payment neither gets it nor keeps it from another.',
  },
  'money.neutral': {
    source: 'money § Provider events',
    behavior:
      'Who presents the name of a payment that does not fit reads only that it does not; its amount, currency, provider and event are for operators.',
  },
  'money.spending-limit': {
    source: 'money § Payment methods',
    behavior:
      'An agent cannot present a payment above the limit that an operator set, by any method. Payments that a provider reports count as well.',
  },
  'money.provider': {
    source: 'money § Provider events',
    behavior:
      'The events of a provider fund, reject or refund a payment, matched by session, challenge and exact amount, each at most once.',
  },
  'money.allowance': {
    source: 'money § Allowance wallets',
    behavior:
      'An allowance wallet pays at once within its limits. Its balance is exact under concurrency.',
  },
  'money.x402': {
    source: 'money § Payment methods',
    behavior:
      'An x402 reference is claimed once, is settled by its own workflow, and counts when it is final on chain.',
  },
  'money.consume': {
    source: 'money § Credit',
    behavior:
      'A use consumes credit exactly once, with a usage receipt. 100 concurrent uses never take more than the balance.',
  },
  'money.return': {
    source: 'money § Credit',
    behavior: 'Credit that was not consumed is returned once to its source.',
  },
  'money.http.prices': {
    source: 'money § Prices',
    behavior: 'The price list and the quotes of the API contain every number of both price tables.',
  },
  'money.http.challenge': {
    source: 'money § Challenges',
    behavior:
      'A challenge is a 402 problem with the seven payment methods. 100 concurrent requests and every repeat get the same challenge.',
  },
  'money.http.methods': {
    source: 'money § Payment methods',
    behavior:
      'Over HTTP, each payment method funds an entitlement after its confirmation or is refused with its code.',
  },
  'money.http.owner': {
    source: 'money § Payment references',
    behavior: 'Payments and credit are readable only by their own agent and by operators.',
  },
  'money.http.once': {
    source: 'money § Payment references',
    behavior:
      'One payment funds one credit, however often it is presented, by any caller and in parallel.',
  },
  'money.http.provider': {
    source: 'money § Provider events',
    behavior:
      'The event of a provider needs no credential but its signature. It counts once, and it never funds a wrong amount.',
  },
  'money.refund': {
    source: 'money § Refunds and disputes',
    behavior:
      'When a payment is taken back, the rest of its credit and the revenue from it are taken back once.',
  },

  // Challenge, mandate, authorize.
  'challenge.answer': {
    source: 'payouts § Challenge',
    behavior:
      'A challenge returns a token, an ES256 checkout of 10 cents with the request digest, the hash of the checkout, a nonce, the audience, both holder bindings and an expiry.',
  },
  'challenge.holder-unknown': {
    source: 'payouts § Challenge',
    behavior: 'A challenge for a holder wallet that is not configured returns 403 holder_unknown.',
  },
  'challenge.input-exact': {
    source: 'payouts § Challenge',
    behavior: 'The input of a challenge has exactly two members: holder_wallet and request_sha256.',
  },
  'authority.request-digest': {
    source: 'payouts § Request digest',
    behavior: 'request_sha256 is the SHA-256 of the canonical JSON of the eight named keys.',
  },
  'authority.eip712': {
    source: 'payouts § Principal authorization',
    behavior:
      'The domain, the types and the message of the principal authorization give the documented EIP-712 digest.',
  },
  'mandate.issue': {
    source: 'payouts § Mandate',
    behavior:
      'An operator issues a dc+sd-jwt mandate for a created payout. The response shows the recipient and the amount.',
  },
  'mandate.issue.operator-only': {
    source: 'payouts § Mandate',
    behavior: 'A call of issue_mandate without an operator credential returns 401.',
  },
  'mandate.issue.digest-mismatch': {
    source: 'payouts § Mandate',
    behavior:
      'A call of issue_mandate with the checkout of another payout returns 403 request_digest_mismatch.',
  },
  'mandate.issue.holder-proof': {
    source: 'payouts § Mandate',
    behavior: 'A call of issue_mandate is refused when the holder did not sign the holder proof.',
  },
  'mandate.found': {
    source: 'payouts § Mandate',
    behavior:
      'An operator finds the mandates of a payout by its id, its creator or their own ids, with state, amount, use and payout.',
  },
  'mandate.revoke': {
    source: 'payouts § Mandate',
    behavior:
      'From the commit of its revocation a mandate authorizes no payout, and the payout that it authorized is not executed: 403 authority_denied. A repeat answers the first receipt, which has the label of the payout.',
  },
  'mandate.revoke.guarded': {
    source: 'decision',
    behavior:
      'SQL refuses the authorization and the transfer of a payout whose mandate is revoked, makes each of them and a revocation wait for the other, and lets no revocation be undone.',
  },
  'binding.v1': {
    source: 'payouts § Holder bindings',
    behavior:
      'A payout can be authorized with holder binding version 1: an ES256K kb+jwt that the holder signs.',
  },
  'binding.v2': {
    source: 'payouts § Holder bindings',
    behavior:
      'A payout can be authorized with holder binding version 2: a personal_sign over service-holder-binding-v2.',
  },
  'authorize.authorized': {
    source: 'payouts § Authorize',
    behavior:
      'A valid principal signature and an unused presentation authorize the payout. The payout then has its mandate reference and a signed receipt.',
  },
  'authorize.retry': {
    source: 'payouts § Authorize',
    behavior:
      'An identical authorize returns the first response. Other content under the same key returns 422.',
  },
  'authorize.schema': {
    source: 'payouts § Authorize',
    behavior:
      'The API enforces every bound of the authorize fields and refuses unknown properties.',
  },
  'authorize.principal-signature': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 principal_signature_invalid when the signature is for another recipient, amount, expiry, key, domain or chain, when its s is malleated, or when its signer is wrong.',
  },
  'authorize.issuer-untrusted': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 issuer_untrusted when the issuer of the mandate or its key is not configured as trusted.',
  },
  'authorize.mandate-invalid': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 mandate_invalid for a wrong typ, alg, vct or _sd_alg, for a disclosure that is unreferenced, repeated or dropped, and for a status claim.',
  },
  'authorize.key-binding-missing': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 key_binding_missing when the presentation has no key binding.',
  },
  'authorize.key-binding-invalid': {
    source: 'payouts § Authorize',
    behavior: 'An authorize returns 403 key_binding_invalid when the key binding is broken.',
  },
  'authorize.key-binding-expired': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 key_binding_expired when the key binding is more than 300 seconds old.',
  },
  'authorize.audience': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 audience_mismatch when the key binding is made for another audience.',
  },
  'authorize.request-digest': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 403 request_digest_mismatch when the presentation commits to another request.',
  },
  'authorize.presentation-consumed': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize with a presentation that was used before returns 409 presentation_consumed.',
  },
  'authorize.challenge-consumed': {
    source: 'payouts § Authorize',
    behavior: 'An authorize with a challenge that was used before returns 409 challenge_consumed.',
  },
  'authorize.mandate-consumed': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize with a mandate that was used before returns 409 mandate_consumed, also when two payouts use it in parallel.',
  },
  'authorize.expired': {
    source: 'payouts § Authorize',
    behavior:
      'An authorize returns 410 challenge_expired when the challenge has expired, and 410 payout_expired when expires_at is less than 30 seconds ahead.',
  },
  'authorize.refusal-changes-nothing': {
    source: 'payouts § Authorize',
    behavior: 'A refused authorize does not change the state, the replay ledger or the receipts.',
  },

  // Execute.
  'execute.executed': {
    source: 'payouts § Execute',
    behavior:
      'An execute of an authorized and unexpired payout transfers the money, confirms the transfer and records executed. The receipt has the transaction hash.',
  },
  'execute.once': {
    source: 'payouts § Execute',
    behavior:
      '100 parallel executes over two API and two worker processes make one transfer, and all responses agree.',
  },
  'execute.wrong-state': {
    source: 'payouts § States and transitions',
    behavior:
      'An execute of a payout that is not authorized returns 409 wrong_state with the allowed events.',
  },
  'execute.expired': {
    source: 'payouts § Execute',
    behavior: 'An execute with less than 30 seconds of remaining life returns 410 payout_expired.',
  },
  'execute.daily-cap': {
    source: 'payouts § Execute',
    behavior:
      'Reservations never add up to more than 100000000 atomic a day, in parallel as well. An execute beyond the cap returns 409 daily_cap_exceeded with the time when room is free.',
  },
  'execute.stored-before-sent': {
    source: 'payouts § Execute',
    behavior:
      'The nonce and the signed transfer are stored before submission. A repeated step broadcasts the stored bytes.',
  },
  'execute.nonce': {
    source: 'payouts § Execute',
    behavior: 'The EIP-3009 nonce of a transfer is derived from the asset and the payout id.',
  },
  'execute.never-resigned': {
    source: 'payouts § Signer',
    behavior:
      'A stored signature of an authorization is never replaced, and no other terms are signed.',
  },
  'execute.signed-when-reserved': {
    source: 'payouts § Signer',
    behavior:
      'A worker that has the key stores a reservation and its signature together or not at all. Without the key, the signing queue adds the signature.',
  },
  'calls.answered-when-stored': {
    source: 'calls § Idempotency',
    behavior:
      'A caller gets the answer of a workflow step once the answer is stored, even when Temporal has not recorded the step.',
  },
  'execute.submit-errors': {
    source: 'payouts § Gas wallets',
    behavior:
      'A broadcast that the node already knows counts as sent. The error "nonce too low" leads to reconciliation.',
  },
  'execute.fee-bump': {
    source: 'payouts § Gas wallets',
    behavior:
      'A transaction that is not mined in time is replaced at the same account nonce with a fee at least 12.5 % higher. Every hash is kept.',
  },
  'gas-wallets.alarm': {
    source: 'payouts § Gas wallets',
    behavior:
      'When a gas-wallet queue has not moved for GAS_WALLET_JAM_AFTER_MS, the metrics, readyz, doctor, one log line and the waiting transfers show it.',
  },
  'gas-wallets.heals': {
    source: 'payouts § Gas wallets',
    behavior:
      'Every kind of jam resolves without a person. Other gas wallets take the load of an empty one.',
  },
  'gas-wallets.shared': {
    source: 'payouts § Gas wallets',
    behavior:
      'The gas wallets share the load. 150 concurrent executes over three of them all finish, each exactly once, also when workers are killed, and no nonce stays stuck.',
  },
  'gas-wallets.laws': {
    source: 'payouts § Gas wallets',
    behavior:
      'Each replacement raises the fee by at least an eighth and stays below the ceiling. Every node error has one meaning. A gas wallet is chosen by balance, jam and load.',
  },
  'gas-wallets.frugal': {
    source: 'payouts § Gas wallets',
    behavior:
      'One submit costs two chain requests, in addition to the requests that all submits of a second share.',
  },
  'confirm.frugal': {
    source: 'payouts § Confirmation',
    behavior:
      'All waits of a process for confirmations share the block heights that it reads. They send requests only when there are new blocks.',
  },
  'execute.confirmed-by-logs': {
    source: 'payouts § Confirmation',
    behavior:
      'A transfer is confirmed by AuthorizationUsed together with the exact Transfer, whichever account sent the transaction.',
  },
  'execute.final': {
    source: 'payouts § Confirmation',
    behavior: 'A payout_final receipt follows when the block of the transfer is finalized.',
  },
  'execute.reorg': {
    source: 'payouts § Confirmation',
    behavior: 'When the block of a transfer vanishes, the worker broadcasts the same bytes again.',
  },
  'execute.dead': {
    source: 'payouts § Confirmation',
    behavior:
      'A transfer is dead when a finalized block shows that its authorization expired unused. The cap is released, and a receipt says that no money moved.',
  },
  'execute.nonce-conflict': {
    source: 'payouts § Confirmation',
    behavior:
      'When the nonce was used without our Transfer, the payout has the exception nonce_conflict and NeedsAttention, and its amount stays in the cap.',
  },
  'execute.voided': {
    source: 'payouts § Confirmation',
    behavior:
      'An executed transfer that vanishes and then expires gets a payout_voided receipt, and its cap is released. The closed workflow run keeps its ExceptionCode.',
  },
  'execute.accepted': {
    source: 'payouts § Execute',
    behavior:
      'An execute that is not confirmed within the wait returns 202 with the state authorized, the transfer status and money_moved unknown. A repeat joins it.',
  },
  'execute.parked': {
    source: 'payouts § Execute',
    behavior:
      'A reserved payout whose transfer cannot be sent is parked with a reason. It continues by itself when the cause is gone.',
  },
  'execute.paused': {
    source: 'payouts § Pauses',
    behavior:
      'An execute of a payout that an operator paused returns 503 paused and reserves nothing.',
  },
  'execute.key-secrecy': {
    source: 'payouts § Execute',
    behavior: 'No private key is in the workflow history, in a log or in an error.',
  },

  // Status.
  'status.exactly-one': {
    source: 'payouts § Status',
    behavior:
      'A status call with both payout_id and idempotency_key, or with neither, returns 400.',
  },
  'status.by-either': {
    source: 'payouts § Status',
    behavior: 'A status call finds a payout by its id and by the key of its create.',
  },
  'status.creator': {
    source: 'payouts § Status',
    behavior: 'A status call with the wallet proof of another wallet returns 404.',
  },
  'status.read-only': {
    source: 'payouts § Status',
    behavior: 'A status call changes nothing and needs neither Temporal nor the chain.',
  },
  'status.repeat-afresh': {
    source: 'payouts § Status',
    behavior:
      'A status call that repeats a proof returns the current state and is not charged again.',
  },

  // Wallet proof.
  'proof.known-answer': {
    source: 'calls § Wallet proof',
    behavior:
      'The signed text, the body digest and the signature of a wallet proof reproduce a recorded example.',
  },
  'proof.encoding': {
    source: 'calls § Wallet proof',
    behavior:
      'The header of a wallet proof is one base64url value of at most 2048 characters with exactly the documented members.',
  },
  'proof.required': {
    source: 'calls § Wallet proof',
    behavior: 'A paid call without a wallet proof returns 401 wallet_proof_required.',
  },
  'proof.unknown-member': {
    source: 'calls § Wallet proof',
    behavior: 'A wallet proof with an unknown member returns 401 wallet_proof_invalid.',
  },
  'proof.other-path': {
    source: 'calls § Wallet proof',
    behavior: 'A wallet proof for another path returns 401 wallet_proof_invalid.',
  },
  'proof.other-method': {
    source: 'calls § Wallet proof',
    behavior: 'A wallet proof for another method returns 401 wallet_proof_invalid.',
  },
  'proof.other-body': {
    source: 'calls § Wallet proof',
    behavior: 'A wallet proof for another body returns 401 wallet_proof_invalid.',
  },
  'proof.other-origin': {
    source: 'calls § Wallet proof',
    behavior:
      'A wallet proof for another origin returns 401 wallet_proof_invalid. The Host header has no influence.',
  },
  'proof.key-order': {
    source: 'calls § Wallet proof',
    behavior: 'A wallet proof is valid for any order of the keys of the body.',
  },
  'proof.before-defaults': {
    source: 'calls § Wallet proof',
    behavior:
      'The body digest of a wallet proof covers what the caller sent, before the schema adds defaults.',
  },
  'proof.age.old': {
    source: 'calls § Wallet proof',
    behavior:
      'A wallet proof is valid at an age of 300 seconds. At 301 seconds it returns 401 wallet_proof_expired.',
  },
  'proof.age.ahead': {
    source: 'calls § Wallet proof',
    behavior:
      'A wallet proof is valid when it is dated 30 seconds ahead. At 31 seconds it returns 401 wallet_proof_expired.',
  },
  'proof.upper-case': {
    source: 'calls § Wallet proof',
    behavior: 'A wallet proof with an upper-case address returns 401 wallet_proof_invalid.',
  },
  'proof.signature-form': {
    source: 'calls § Wallet proof',
    behavior:
      'A wallet proof whose signature has a v of 0 or 1, a high s or 64 bytes returns 401 wallet_proof_invalid.',
  },
  'proof.contract-wallet': {
    source: 'calls § Wallet proof',
    behavior:
      'A contract wallet (EIP-1271) can prove itself. The check takes one bounded eth_call.',
  },
  'proof.account-with-code': {
    source: 'calls § Wallet proof',
    behavior:
      'A proof that the key of an account with code (EIP-7702) signed is accepted without a call of that code.',
  },
  'proof.chain-down': {
    source: 'calls § Wallet proof',
    behavior: 'Without an RPC, only wallets whose own key did not sign the proof get 503.',
  },
  'proof.replay-same': {
    source: 'calls § Wallet proof',
    behavior:
      'The same proof sent 20 times in parallel has one effect, and all responses are equal.',
  },
  'proof.replay-other-body': {
    source: 'calls § Wallet proof',
    behavior: 'A used proof nonce with another body or path returns 409 wallet_proof_replayed.',
  },
  'proof.not-burnt': {
    source: 'calls § Wallet proof',
    behavior: 'A response of 400, 401, 402, 429 or 503 never uses up the nonce of the proof.',
  },
  'proof.kept': {
    source: 'calls § Wallet proof',
    behavior:
      'Each granted call is kept permanently with its wallet, nonce, path, body digest, funding and outcome.',
  },

  // Price gate.
  'free.ten': {
    source: 'money § Free calls',
    behavior: '50 parallel first calls of a wallet are granted exactly 10 free calls.',
  },
  'free.rolling': {
    source: 'money § Free calls',
    behavior: 'Each free call becomes available again 30 days after its own use.',
  },
  'free.failed-call': {
    source: 'money § Free calls',
    behavior: 'A failed call returns its free call.',
  },
  'free.address-limit': {
    source: 'money § Free calls',
    behavior:
      'Free calls are limited per client address and in total. Beyond a limit the response is 402.',
  },
  'x402.offer': {
    source: 'money § x402 offers',
    behavior:
      'A 402 response has the header PAYMENT-REQUIRED and a problem body whose accepts name x402 version 2, the scheme exact, eip155:8453 and 100000 atomic.',
  },
  'x402.paid': {
    source: 'money § x402 offers',
    behavior: 'The official x402 client can pay a call, and the payment settles on chain.',
  },
  'x402.strict-payload': {
    source: 'money § x402 offers',
    behavior:
      'A payment with permit2Authorization, an ERC-6492 wrapper or any extra member but extensions returns 402 payment_invalid, and the handler does not run.',
  },
  'x402.extensions': {
    source: 'money § x402 offers',
    behavior:
      'A payment whose client added extensions is taken like one without: they are no part of what counts.',
  },
  'x402.header-confusion': {
    source: 'money § x402 offers',
    behavior:
      'A payment in X-PAYMENT, in a doubled header or in base64url, or with other terms, payTo or network returns 402, and the handler does not run.',
  },
  'x402.one-effect': {
    source: 'money § One payment, one effect',
    behavior:
      'One payment that is sent twice in parallel, to one route or to two, has one effect. The other call returns 409 payment_already_used.',
  },
  'x402.payment-id': {
    source: 'money § One payment, one effect',
    behavior: 'A payment_id is the SHA-256 of the network, the asset, the payer and the nonce.',
  },
  'x402.remaining-life': {
    source: 'money § x402 offers',
    behavior:
      'A payment with less than 60 seconds of remaining life is refused, measured by the clock of Postgres.',
  },
  'x402.third-party-broadcast': {
    source: 'money § Settlement',
    behavior: 'A payment counts as settled when another account broadcast its authorization.',
  },
  'x402.empty-payer': {
    source: 'money § Debt',
    behavior:
      'When a payer empties its wallet before settlement, the response is withheld. The payer then gets 402 with the debt, and there is no second effect.',
  },
  'x402.unknown-outcome': {
    source: 'money § Settlement',
    behavior:
      'A settlement with an unknown outcome returns 503 settlement_pending with money_moved unknown. A retry joins it.',
  },
  'x402.process-killed': {
    source: 'money § One payment, one effect',
    behavior:
      'When the API is killed between claim, effect and settlement, the retry gets the result and is charged once.',
  },
  'x402.credit': {
    source: 'money § Call credit',
    behavior:
      'A call that is refused after its settlement leaves one call credit for the next call of the wallet.',
  },
  'x402.debt': {
    source: 'money § Debt',
    behavior: 'A debt blocks all other calls of the wallet except status until it is paid.',
  },
  'x402.unsettled-stops-payout': {
    source: 'money § Settlement',
    behavior: 'A payout with an unsettled charge takes no further step.',
  },
  'charge.only-success': {
    source: 'errors § Charging',
    behavior: 'A response of 4xx or 5xx uses up no free call, no payment and no proof.',
  },
  'charge.grant-or-release': {
    source: 'money § One payment, one effect',
    behavior: 'The claim of a call is released or used by its effect, never both.',
  },
  'charge.late-effect': {
    source: 'money § One payment, one effect',
    behavior:
      'A call that got 503 and whose effect happened later is charged once, and its retry gets the result.',
  },

  // Receipts and discovery.
  'receipt.per-transition': {
    source: 'payouts § Payout receipts',
    behavior:
      'Each transition has a signed receipt with the payout id, recipient, amount and usage, and with the transaction hash and mandate reference once they exist.',
  },
  'receipt.jws': {
    source: 'trust § Receipts',
    behavior:
      'A receipt is a compact EdDSA JWS of type receipt+jwt. The published key verifies it.',
  },
  'receipt.chain': {
    source: 'payouts § Payout receipts',
    behavior: 'The member prev of a receipt is the SHA-256 of the previous JWS of the same payout.',
  },
  'receipt.key-rotation': {
    source: 'trust § Key status',
    behavior:
      'A receipt of a retired key is valid when it is dated before the retirement. A receipt of a revoked key is valid only when our store has it.',
  },
  'receipt.verify': {
    source: 'trust § Verification',
    behavior: 'GET /api/verify-receipt says whether a receipt is valid, and why.',
  },
  'receipt.verify.log': {
    source: 'trust § Verification',
    behavior:
      'A verification packet has `log_state`, and is verified only for `included` or for the `exempt` sample. A call waits up to 1 s for a queued receipt, and judges a tree of the asked size.',
  },
  'discovery.jwks': {
    source: 'trust § Key rings',
    behavior: 'The document jwks.json contains every key that was ever published, with its times.',
  },
  'discovery.trust-contract': {
    source: 'trust § Trust contract',
    behavior:
      'The trust contract names the issuer, key, service ids, caps, price, holder bindings and EIP-712 domain.',
  },
  'discovery.openapi': {
    source: 'calls § Discovery',
    behavior:
      'The document openapi.json is valid OpenAPI 3.1. It lists every operation with every error code that the operation can return.',
  },
  'discovery.limits': {
    source: 'calls § Rate limits',
    behavior:
      'llms.txt and /api/agents-start-here publish the limits by the minute. Answers that are not stored, and refusals, name their limit and what is left of it; documents that any cache may keep have a limit of their own.',
  },
  'discovery.described': {
    source: 'calls § Discovery',
    behavior:
      'In openapi.json each parameter and each member of a request body says what it means.',
  },

  // The pipeline.
  'pipeline.other-host': {
    source: 'decision',
    behavior: 'A path that only the other host serves is a 404 that names the address there.',
  },
  'pipeline.problem-json': {
    source: 'errors § Problem body',
    behavior:
      'Every refusal is application/problem+json with code, retryable, money_moved, next_action and request_id, and without a stack trace.',
  },
  'pipeline.error-codes': {
    source: 'errors § Statuses',
    behavior:
      'Every error code belongs to one status. The statuses 429, 502 and 503 and the code idempotency_in_flight are retryable.',
  },
  'pipeline.unknown-property': {
    source: 'calls § Bodies',
    behavior:
      'A body with an unknown property returns 400 with the pointer of the property, and nothing is charged.',
  },
  'pipeline.malformed': {
    source: 'errors § Malformed calls',
    behavior:
      'Malformed JSON returns 400, a wrong content type 415, a body over 64 KiB 413, and a wrong method 405.',
  },
  'pipeline.text': {
    source: 'calls § Bodies',
    behavior: 'Text with NUL or lone surrogates returns 400. Lengths count code points.',
  },
  'pipeline.forbidden-material': {
    source: 'calls § Forbidden material',
    behavior:
      'Secrets in free text return 422 forbidden_material with the pointer and without the value. Hex without a label is accepted.',
  },
  'pipeline.nowhere-kept': {
    source: 'calls § Forbidden material',
    behavior:
      'Each kind of secret in each screened text of each operation is 422, and no workflow history, memo, search attribute, row or log of a running service holds any.',
  },
  'pipeline.encoded-material': {
    source: 'calls § Forbidden material',
    behavior:
      'Presentations of mandates, challenge tokens and other signed texts are screened as what their base64url parts encode: claims and disclosures, and tokens inside of them. The pointer is that of the field.',
  },
  'pipeline.operator': {
    source: 'agents § Operators',
    behavior:
      'An operator credential has 256 bits and is stored as SHA-256. A wrong or revoked one returns 401 with WWW-Authenticate.',
  },
  'pipeline.operator-oidc': {
    source: 'agents § Operators',
    behavior:
      'An operator may present a JWT of the configured OIDC issuer. Its audience, scope and algorithm are checked. When the keys of the issuer cannot be read, the response is 503.',
  },
  'pipeline.replay': {
    source: 'calls § Idempotency',
    behavior:
      'A repeat of a finished call returns the same response with Idempotent-Replayed: true.',
  },
  'pipeline.token-limit': {
    source: 'limits § Call limits',
    behavior:
      'A status token has the limit of an access key; one of anonymous work those of public callers, by its address and by itself, and their body size.',
  },
  'pipeline.public-limit': {
    source: 'limits § Call limits',
    behavior:
      'An address without a credential has 60 reads and 10 other calls a minute over all processes. A repeat is not counted.',
  },
  'pipeline.rate-limit': {
    source: 'calls § Rate limits',
    behavior:
      'The limits of wallets and addresses are counted in Postgres over all processes. Beyond a limit the response is 429 with Retry-After.',
  },
  'pipeline.headers': {
    source: 'calls § Headers',
    behavior:
      'Every response has X-Request-Id and X-Interface-Version, and Cache-Control: no-store except on discovery.',
  },
  'pipeline.canonical-json': {
    source: 'calls § Canonical JSON',
    behavior: 'Digests are the SHA-256 of RFC 8785 text in lowercase hex.',
  },
  'pipeline.reads-together': {
    source: 'decision',
    behavior: 'Concurrent reads never hold one database connection while they wait for another.',
  },
  'pipeline.dependency-down': {
    source: 'errors § Dependencies',
    behavior:
      'When Postgres is down, or Temporal where a workflow has yet to make the step, the API returns 503 within 2 seconds and recovers by itself.',
  },
  'pipeline.chain-down': {
    source: 'payouts § Execute',
    behavior:
      'When the chain is down, new executes and settlements return 503 within 2 seconds and reserve nothing. Free calls still work.',
  },
  'health.ready': {
    source: 'calls § Health',
    behavior:
      'The endpoint /readyz shows the state of Postgres, its schema and disk, Temporal, the chain, its nodes, the workers and the clock.',
  },

  // The stack and the agent that drives it.
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
  'client.typed': {
    source: 'stack § Client',
    behavior: 'The typed client is derived from the operations and can make a whole payout.',
  },
  'client.comes-back': {
    source: 'stack § Client',
    behavior:
      'An agent that crashed after its execute gets the result when it repeats the call with the same key.',
  },
  'operate.operator-create': {
    source: 'stack § Command line',
    behavior: 'The command agent-rails operator create NAME prints a working credential once.',
  },
  'operate.doctor': {
    source: 'stack § Command line',
    behavior:
      'The command agent-rails doctor names each fault of a deployment with its remedy, and exits with 1 when there is a fault.',
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
  'ship.containers': {
    source: 'stack § Containers',
    behavior: 'docker-compose.yml runs the same parts as containers. The API and the worker scale.',
  },
  'operate.metrics': {
    source: 'calls § Access kinds',
    behavior:
      'The endpoint /metrics returns Prometheus text, only to an operator, or to loopback where BASE_URL names this machine or TRUST_LOOPBACK is always.',
  },
  'operate.drain': {
    source: 'stack § Processes',
    behavior: 'A process that is stopping finishes the calls that it has begun.',
  },
  'limits.documented': {
    source: 'limits § Payout limits',
    behavior: 'Every limit has the documented number.',
  },

  // The pages for people.
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

  // Durability, operation, structure.
  'durable.kill-worker': {
    source: 'payouts § Workflow',
    behavior:
      'When the worker is killed with kill -9 right after the broadcast, the payout is executed once and the retry gets the result.',
  },
  'durable.kill-parts': {
    source: 'payouts § Workflow',
    behavior:
      'When Temporal, Postgres and the API are killed with kill -9 during a payout, the payout is executed once.',
  },
  'durable.terminated': {
    source: 'payouts § Workflow',
    behavior:
      'When an operator terminates the workflow of a payout, a new run continues the payout.',
  },
  'durable.replay': {
    source: 'payouts § Workflow',
    behavior:
      'Saved histories of every path of a payout replay on the current workflows. A changed copy is rejected.',
  },
  'payout.renewed': {
    source: 'payouts § Workflow',
    behavior:
      'The workflow of a payout renews itself after many calls. A run that is ending refuses updates, and callers reach the next run.',
  },
  'payout.idle': {
    source: 'payouts § Workflow',
    behavior: 'The workflow of a payout ends after a long time without events. The row remains.',
  },
  'payout.small': {
    source: 'decision',
    behavior:
      'A free payout that is never used keeps at most 3 KB in rows, and none in Temporal once its workflow has ended. Its status, its receipt, the repeat of its create and its authorize still work.',
  },
  'payout.shown': {
    source: 'payouts § Workflow',
    behavior:
      'In the list of workflows, State shows authorized with the next change, or at the first check after half an hour. Work for a person is shown at once.',
  },
  'durable.broken-run': {
    source: 'payouts § Workflow',
    behavior:
      'A run whose workflow task fails repeatedly is ended, and a new run continues from the rows.',
  },
  'durable.slow-steps': {
    source: 'payouts § Workflow',
    behavior: 'A step that takes longer than a workflow task leaves a history that replays.',
  },
  'durable.contention': {
    source: 'payouts § Workflow',
    behavior: 'At most 6 updates of one payout are in flight over all processes.',
  },
  'durable.unknown-update': {
    source: 'payouts § Workflow',
    behavior:
      'A failed update call has an unknown outcome. The API reads Postgres and retries the call.',
  },
  'operate.legible': {
    source: 'payouts § Workflow',
    behavior:
      'The summary, the current details and the search attributes of a workflow show its state, its last receipt and the action that unblocks it.',
  },
  'operate.recover': {
    source: 'payouts § Recovery',
    behavior:
      'The commands recover list, explain, wake and reconcile work without editing the database.',
  },
  // Operators' switches.
  'switches.scopes': {
    source: 'payouts § Pauses',
    behavior:
      'A pause of the service, the rail, a wallet or a payout refuses new executes with 503 and reserves nothing.',
  },
  'switches.offered': {
    source: 'decision',
    behavior:
      'A paused rail has the status paused in the price tables and the manifest, is not available where it is inspected, and is named by the pauses of the hardening view.',
  },
  'switches.work': {
    source: 'payouts § Pauses',
    behavior:
      'A pause of a rail or an agent refuses its quotes and new runs with 503 paused. Its queued runs wait until it ends. What has begun continues.',
  },
  'switches.ordered': {
    source: 'payouts § Pauses',
    behavior:
      'A reservation, a quote or a run commits before a pause or sees it. None is made after a pause.',
  },
  'switches.signed': {
    source: 'payouts § Pauses',
    behavior:
      'Each pause and resume writes its row, its history and a signed receipt with the name of the operator in one transaction.',
  },
  'switches.idempotent': {
    source: 'calls § Idempotency',
    behavior:
      'One key makes one pause or resume with one receipt. Another body under the same key is a conflict.',
  },
  'switches.append-only': {
    source: 'payouts § Pauses',
    behavior: 'SQL refuses a change of the history of pauses.',
  },
  'switches.cli': {
    source: 'payouts § Pauses',
    behavior:
      'The commands agent-rails pause, resume and pauses have the same effect as the API, in the name of an operator.',
  },
  'switches.shown': {
    source: 'payouts § Pauses',
    behavior:
      'The endpoint readyz, the front page, doctor and the metrics show a pause. The service stays ready.',
  },
  'minimum-balance.refuses': {
    source: 'payouts § Minimum balance',
    behavior:
      'An execute that would bring the payout wallet below its minimum balance returns 503 paused and reserves nothing, exactly under concurrency.',
  },
  'minimum-balance.alarms': {
    source: 'payouts § Minimum balance',
    behavior: 'The log, the metrics and doctor report a balance near the minimum.',
  },
  'canary.first': {
    source: 'payouts § Canary',
    behavior:
      'A small transfer precedes the first reservation of a UTC day. Until it is confirmed, executes return 503.',
  },
  'canary.worker': {
    source: 'payouts § Canary',
    behavior:
      'A worker starts the canary when its workflow run loads it. An API process, which may write no payout, only wakes that run.',
  },
  'canary.receipts': {
    source: 'payouts § Canary',
    behavior:
      'The receipts of the canary name the service as its creator and the configuration as its authority.',
  },
  'canary.fails': {
    source: 'payouts § Canary',
    behavior:
      'A canary that is proven dead or in conflict pauses the rail until an operator resumes it.',
  },
  'reconcile.schedule': {
    source: 'reconciliation § Schedule',
    behavior: 'One Temporal schedule for all workers starts reconciliations that never overlap.',
  },
  'reconcile.agreement': {
    source: 'reconciliation § Comparison',
    behavior: 'Healthy traffic opens no exception, including work in progress.',
  },
  'reconcile.whole': {
    source: 'decision',
    behavior:
      'The row of a reconciliation says which page is next. It ends only once each section was compared and each suspect confirmed, in SQL as well, whatever Temporal says of it.',
  },
  'reconcile.compares': {
    source: 'reconciliation § Comparison',
    behavior:
      'Each possible difference between chain, rows, workflows, receipts, charges, the cap and the gas-wallet queues has its own code.',
  },
  'reconcile.restored': {
    source: 'decision',
    behavior:
      'A transfer whose row was lost by a restore, but whose payout is known, is reported as that payout’s and pauses nothing.',
  },
  'reconcile.exceptions': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'A difference that lasts opens one exception with both sides as evidence. When it is found again, no second exception is opened.',
  },
  'reconcile.never-repairs': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'A reconciliation changes no rows but its own. The exception of a difference that disappears stays open and is marked as gone.',
  },
  'reconcile.close': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'Only an operator closes an exception, with a reason and a signed receipt. Accepted evidence does not open it again; other evidence does.',
  },
  'reconcile.attention': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'The workflow of a payout with an open exception shows its code, and NeedsAttention while it runs. The list of stuck work also names closed workflows.',
  },
  'reconcile.read': {
    source: 'reconciliation § Reading',
    behavior:
      'GET /api/operator/reconciliation returns the statement, the last run and the open exceptions to an operator.',
  },
  'reconcile.finds-what-changed': {
    source: 'reconciliation § Comparison',
    behavior:
      'A reconciliation reads all rows that changed since the snapshot of the last one, manual changes included, and everything that is not final. This holds with 100,000 rows.',
  },
  'statement.signed': {
    source: 'reconciliation § Statement',
    behavior:
      'Each UTC day has one signed statement after the day is final on chain. The published keys verify it.',
  },
  'statement.chain': {
    source: 'reconciliation § Statement',
    behavior:
      'Statements of missed days are made in order. Each names the digest of the day before, and none is rewritten.',
  },
  'statement.sums': {
    source: 'reconciliation § Statement',
    behavior:
      'The sums of a statement are the sums of the rows. Its balances are those of the chain at the named blocks.',
  },
  // Agents: trust, credentials, status tokens, decisions.
  'agent.trust.table': {
    source: 'agents § Trust',
    behavior:
      'Each pair of trust state and decision follows the table, or is refused with the allowed decisions.',
  },
  'agent.trust.guarded-in-sql': {
    source: 'agents § Trust',
    behavior:
      'The database refuses every other change of trust, and every change of registered data.',
  },
  'agent.register.key-once': {
    source: 'agents § Registration',
    behavior:
      'One public key is one agent, also for parallel registrations. A second one returns 409 key_already_registered.',
  },
  'agent.register.key-taken-back': {
    source: 'decision',
    behavior:
      'A registration signed by its key takes the key back from an agent that was registered without that signature and never shook hands, once: an agent whose holder showed the key keeps it.',
  },
  'agent.credential.format': {
    source: 'agents § Access keys',
    behavior: 'An access key has the form ag_<id>_<256-bit secret>.',
  },
  'agent.credential.judged': {
    source: 'agents § Access keys',
    behavior:
      'The state, expiry, trust, scope, rail and amount of a credential are checked, and every problem is reported.',
  },
  'agent.credential.guarded-in-sql': {
    source: 'agents § Access keys',
    behavior:
      'SQL lets access keys and signing versions change only along their table, with one active and one waiting for each agent.',
  },
  'agent.credential.digest': {
    source: 'agents § Access keys',
    behavior: 'The database holds only the SHA-256 of the secret of a credential.',
  },
  'agent.credential.rotated': {
    source: 'agents § Access keys',
    behavior: 'Rotation keeps the old credential valid for a grace time, and no longer.',
  },
  'agent.delivery.order': {
    source: 'agents § Access key delivery',
    behavior: 'Code and SQL enforce the documented order of the six steps of access key delivery.',
  },
  'agent.delivery.effects': {
    source: 'agents § Access key delivery',
    behavior:
      'Each step of access key delivery is recorded by its own effect. The fourth is taken by the callback, by the operator who wrote to the contact, or by the agent that claims its key.',
  },
  'agent.delivery.notice': {
    source: 'agents § Access key delivery',
    behavior:
      'An agent with a callback URL is notified that its key is ready. The notice does not contain the key.',
  },
  'agent.steps.order': {
    source: 'agents § Access key delivery',
    behavior:
      'The status shows the steps of self-onboarding and access key delivery in the documented order, each as its records show; the status URL is used wherever they are read.',
  },
  'agent.status-token.format': {
    source: 'agents § Status tokens',
    behavior: 'A status token consists of its prefix and 256 bits.',
  },
  'agent.signature.text': {
    source: 'calls § Agent signature',
    behavior:
      'An agent signs the origin, method, path, body, status token and time of a call. The signature is valid for 300 seconds.',
  },
  'pipeline.access-kinds': {
    source: 'calls § Access kinds',
    behavior: 'Every operation enforces its access kinds. A status token alone can only read.',
  },
  'pipeline.hosts': {
    source: 'calls § Hosts',
    behavior:
      'An operation is served on its own host only. On the other host its path returns 404.',
  },
  'agent.onboarding.end-to-end': {
    source: 'tasks § Sequences',
    behavior:
      'Over HTTP, an agent submits its manifest, gets its trust state and status URL, and passes the six steps of access key delivery.',
  },
  'agent.register.idempotent': {
    source: 'agents § Registration',
    behavior:
      'A registration that is repeated with its idempotency key returns the same agent and status token. Other terms are a conflict.',
  },
  'agent.secrets.not-stored': {
    source: 'agents § Status tokens',
    behavior:
      'No table and no log line contains a status token, an access key or a refused secret.',
  },
  'agent.sandbox': {
    source: 'agents § Sandbox',
    behavior:
      'A sandbox agent is trusted at once, within the scopes of the sandbox. Its registration names the scopes that it got, and those that it did not get with the reason.',
  },
  'agent.envelope': {
    source: 'agents § Access keys',
    behavior:
      'An access key is sealed to the encryption key of the agent, or is returned once to a signed handshake.',
  },
  'agent.handshake.proof': {
    source: 'agents § Handshake',
    behavior:
      'A handshake needs a signature of the registered key over a current nonce of the service and the status token.',
  },
  'agent.status.kinds': {
    source: 'agents § Status tokens',
    behavior:
      'The status URL shows an agent with its newest orders and pilots, and the task, order or pilot of their own tokens.',
  },
  'agent.status-token.unknown': {
    source: 'agents § Status tokens',
    behavior: 'A malformed, foreign or unknown status token returns the same 404.',
  },
  'agent.signature.required': {
    source: 'calls § Agent signature',
    behavior:
      'A status token allows an action only with a fresh signature of the registered key over this call.',
  },
  'agent.access': {
    source: 'agents § Access keys',
    behavior:
      'An access key permits what its scopes and rails cover. Other calls return 401, 403 or 429.',
  },
  'agent.rails': {
    source: 'agents § Access keys',
    behavior:
      'An access key acts only on its rails, named directly or by the id of a quote, contract or run. It reads everything of its agent.',
  },
  'agent.revoked-at-once': {
    source: 'agents § Access keys',
    behavior:
      'A revoked credential and a suspended agent are refused from the next call on, in every process.',
  },
  'agent.attempts.slowed': {
    source: 'agents § Failed attempts',
    behavior:
      'Guessing is slowed per address and per credential. A correct key is accepted at once, whatever its address did before.',
  },
  'agent.enforce': {
    source: 'agents § Credential check',
    behavior:
      'The operation enforce_agent_credential says what a presented credential may do, with each reason for a denial. It is audited.',
  },
  'agent.statement.signed': {
    source: 'agents § Statements',
    behavior:
      'The service signs the statements of an agent with a key ring of its own. A statement can be verified by version and is never a receipt.',
  },
  'agent.statement.own-key': {
    source: 'agents § Statements',
    behavior:
      'A statement that an agent signs with its own key (kid agt_…#version) is verified by the version that it names.',
  },
  'agent.statement.key-state': {
    source: 'agents § Statements',
    behavior:
      'A statement is valid by the status of its key at the time of the statement. A revoked key proves nothing.',
  },
  'agent.signing.rotated': {
    source: 'agents § Statements',
    behavior:
      'A signing key is replaced by signatures of the old and the next key, with an overlap or at once.',
  },
  'agent.credential.rotated-over-http': {
    source: 'agents § Access keys',
    behavior:
      'An agent or an operator can rotate an access key. The agent claims the next key by a handshake with its registered key.',
  },
  'review.console': {
    source: 'agents § Reviews',
    behavior:
      'The review console lists waiting work, longest first, by page, kind, state and rail. It has a compact form.',
  },
  'review.record': {
    source: 'agents § Reviews',
    behavior:
      'A decision is one row with a signed receipt. It is made once for each time that its subject waits.',
  },
  'review.evidence': {
    source: 'agents § Evidence of a review',
    behavior:
      'A decision names the root digest of the evidence of its subject. With another digest it is 409 evidence_changed. The signed receipt has the digests.',
  },
  'work-order.payment': {
    source: 'runs § Work orders',
    behavior:
      'The payment that an order names is its agent’s own and pays for its run: its quote becomes that of the order and funds it. Another is 404 or 422.',
  },
  'review.agent.account': {
    source: 'agents § Evidence of a review',
    behavior:
      'The evidence of an agent has the name and country of the account that it registered for.',
  },
  'review.uploads': {
    source: 'agents § Evidence of a review',
    behavior:
      'An operator reads an uploaded list in slices of whole lines during a review. It is a part of the evidence, named by the digest of all its bytes.',
  },
  'operate.gauges': {
    source: 'stack § Processes',
    behavior:
      'The metrics have gauges for everything that waits or is wrong, and each alerting rule names a metric that exists.',
  },
  'operate.alert-tests': {
    source: 'decision',
    behavior:
      'Each alerting rule has a test in which it stays silent and one in which it fires, and promtool runs them.',
  },
  'review.revised': {
    source: 'decision',
    behavior:
      'An operator revises a run by parameters that its rail declares, and the work begins again at once, or by a corrected input, which is a proposal until the agent recovers the task with exactly it. A revision that changes nothing or does not fit the rail is refused. Ledger, receipt and replay package name both digests.',
  },
  'reconcile.pause': {
    source: 'decision',
    behavior:
      'A transfer out of the payout wallet that no payout explains pauses the payouts once, with a reason and a receipt; an operator resumes them.',
  },
  'operate.doctor-attention': {
    source: 'decision',
    behavior:
      'The command doctor counts what waits or is wrong by kind and code, with the age of the oldest and the next command; it is no fault.',
  },
  'operate.readyz-status': {
    source: 'decision',
    behavior:
      'The status of /readyz depends on dependencies only; only this machine and operators see counts, all others see which part is well.',
  },
  'operate.dashboards': {
    source: 'decision',
    behavior:
      'The Grafana dashboards are made by code, are current, and name only metrics that exist; the compose profile observability serves them with the alerting rules.',
  },
  'operate.worker-metrics': {
    source: 'decision',
    behavior:
      'With WORKER_METRICS_PORT set, a worker serves the metrics of its Temporal pollers, slots and tasks, by default on loopback.',
  },
  'review.commands': {
    source: 'agents § Evidence of a review',
    behavior:
      'The command line lists what waits, shows its evidence, and decides with the digest that it showed and a judgement for each criterion.',
  },
  'agents.commands': {
    source: 'agents § Evidence of a review',
    behavior:
      'The command line lists and shows agents, decides about their trust with limits, and shows and rotates their keys.',
  },
  'payments.commands': {
    source: 'agents § Evidence of a review',
    behavior:
      'The command line lists and shows payments, confirms, rejects and refunds them, and sums up the money of the service.',
  },
  'cli.completion': {
    source: 'decision',
    behavior:
      'The command completion prints a static script for bash, zsh or fish, which completes commands, options and their values.',
  },
  'cli.json': {
    source: 'decision',
    behavior: 'Every command prints tables or names with values, and JSON with --json.',
  },
  'review.waived': {
    source: 'tasks § Evidence',
    behavior:
      'A run whose gaps are waived waits for its review as any other, and its views show this wait and since when.',
  },
  'review.judged': {
    source: 'agents § Evidence of a review',
    behavior:
      'A reviewer judges each acceptance criterion of a run. A criterion that was not judged is never met.',
  },
  'agent.attempts.counted': {
    source: 'agents § Failed attempts',
    behavior:
      'Failed attempts are counted per address and credential in Postgres, exactly over all processes.',
  },
  'store.transaction-retry': {
    source: 'stack § Storage',
    behavior:
      'A transaction or single statement is retried after a serialization failure or deadlock.',
  },
  'store.lock-order': {
    source: 'stack § Storage',
    behavior:
      'Every transaction locks a call before its payment, so that settling and releasing never wait for each other.',
  },
  'store.schema-version': {
    source: 'decision',
    behavior:
      'The schema names its version, the oldest program that may use it and the digest of each migration; a program outside the range stops with one sentence, also one that runs. Start, readiness and doctor read this alike.',
  },
  'store.migrations': {
    source: 'stack § Storage',
    behavior:
      'Migrations only go forward and create a missing database. Two processes may run them at once.',
  },
  'payout.model': {
    source: 'decision',
    behavior:
      'Random interleavings of callers, repeats and crashes give responses that a reference model also gives in some order.',
  },
  'chaos.schedule': {
    source: 'decision',
    behavior:
      'A seed gives one schedule of faults. It covers every boundary of every activity and every kind of fault.',
  },
  'chaos.boundaries': {
    source: 'payouts § Workflow',
    behavior:
      'With a fault at each boundary of each activity and in each part, and with a chain that lies, is silent or reorganises, each payout moves money once or provably never, and all records agree.',
  },
  'chaos.storm': {
    source: 'decision',
    behavior:
      'After a storm that kills every part in an order of its seed, while payouts and runs are started and left alone, all of them are done, or are stopped with a cause and say what they wait for.',
  },
  'chaos.checker.judges': {
    source: 'decision',
    behavior: 'The checker finds nothing in a healthy batch, and finds each planted fault.',
  },
  'chaos.checker.real': {
    source: 'decision',
    behavior:
      'On the real stack the checker finds nothing in healthy payouts, and finds each planted error.',
  },
  'chaos.mutations': {
    source: 'decision',
    behavior:
      'Each of the nine mutations of the rail matches the current source and compiles, so that a test can show that it is caught.',
  },
  'chaos.checker.independent': {
    source: 'decision',
    behavior:
      'The checker reads the chain, Postgres and Temporal by itself and shares no code with the rail.',
  },
  // Outgoing HTTP.
  'outgoing.urls': {
    source: 'callbacks § Outgoing requests',
    behavior:
      'An outgoing request uses HTTPS on port 443 of a plain DNS name that is not ours. Every other form is refused without a lookup.',
  },
  'outgoing.addresses': {
    source: 'callbacks § Outgoing requests',
    behavior:
      'A name is never called when one of its addresses is private, special, multicast or an embedded IPv4 address.',
  },
  'outgoing.rebinding': {
    source: 'callbacks § Outgoing requests',
    behavior: 'The name is resolved once, and the connection goes to the checked address.',
  },
  'outgoing.certificates': {
    source: 'callbacks § Outgoing requests',
    behavior: 'The certificate is checked by name, whatever the environment variables say.',
  },
  'outgoing.redirects': {
    source: 'callbacks § Outgoing requests',
    behavior: 'An outgoing request follows no redirect.',
  },
  'outgoing.bounds': {
    source: 'callbacks § Outgoing requests',
    behavior: 'A request takes at most 5 s and reads at most 64 KiB of its response.',
  },
  'outgoing.allow-list': {
    source: 'callbacks § Outgoing requests',
    behavior:
      'CALLBACK_ALLOW_HOSTS names origins that are called without these checks, for local work only.',
  },
  'outgoing.request': {
    source: 'callbacks § Outgoing requests',
    behavior: 'Every outgoing request ends in a response with a status or in one named reason.',
  },

  // Callbacks.
  'callback.signature': {
    source: 'callbacks § Signature',
    behavior:
      'A callback has the Standard Webhooks headers and is signed v1a with the callback ring and, with a shared secret, v1.',
  },
  'callback.states': {
    source: 'callbacks § Delivery',
    behavior:
      'A delivery changes state only along its table. A 2xx is accepted, a 410 ends the delivery, and everything else is retried.',
  },
  'callback.schedule': {
    source: 'callbacks § Delivery',
    behavior:
      'A delivery has eight attempts, from 0 s to 24 h after the end of the previous one. The same attempt always gets the same jitter.',
  },
  'callback.delivery': {
    source: 'callbacks § Delivery',
    behavior:
      'The body of a callback is built when it is sent, and every attempt is recorded. A 410 or the eighth failure ends the delivery.',
  },
  'callback.hosts-now': {
    source: 'callbacks § Delivery',
    behavior:
      'Each attempt reads the callback hosts of the account as they are now: a host that they no longer name is not called, and the delivery ends as disabled with host_not_allowed.',
  },
  'callback.at-least-once': {
    source: 'callbacks § Delivery',
    behavior:
      'An attempt is stored before it is sent. An interrupted one is sent again under the same id, which a receiver accepts once.',
  },
  'callback.redelivery': {
    source: 'callbacks § Redelivery',
    behavior: 'An open delivery can be attempted at once. A finished delivery gets one successor.',
  },
  'callback.guarded-in-sql': {
    source: 'callbacks § Delivery',
    behavior:
      'SQL enforces the state table of deliveries and refuses a change of recorded attempts.',
  },
  'callback.workflow': {
    source: 'callbacks § Delivery',
    behavior:
      'Each delivery has one workflow that makes its attempts when they are due. Its history replays and contains no URL.',
  },
  'callback.running': {
    source: 'callbacks § Delivery',
    behavior:
      'Workers serve the callback queue and read the facts of a callback when they send it.',
  },
  'callback.examples': {
    source: 'callbacks § Receivers',
    behavior:
      'The callback examples are signed by the real signer at a fixed time and contain the code of the receivers.',
  },
  'callback.demo-receiver': {
    source: 'callbacks § Receivers',
    behavior:
      'The demo receiver accepts what this service signed within five minutes, counts the attempts, and refuses the first ones on request.',
  },
  'callback.receivers': {
    source: 'callbacks § Receivers',
    behavior:
      'The receivers in four languages accept each callback of the signer and refuse every change of it.',
  },
  'callback.host-proof': {
    source: 'callbacks § Callback URL',
    behavior:
      'A callback host must first echo a signed nonce. The demo receiver needs no such proof.',
  },

  // Uploaded inputs.
  'input.stored': {
    source: 'runs § Inputs',
    behavior:
      'An uploaded input is streamed into and out of Postgres, and every process reads it byte for byte.',
  },
  'input.digest': {
    source: 'runs § Inputs',
    behavior: 'An upload with another digest or an early end stores nothing.',
  },
  'input.screened': {
    source: 'runs § Inputs',
    behavior:
      'Uploaded texts are screened for secrets while they are streamed, whatever their length: 422 forbidden_material, and nothing of them is kept or logged. Ordinary evidence is accepted.',
  },
  'files.screened': {
    source: 'runs § Files',
    behavior:
      'The text of a PDF, DOCX or XLSX file is screened for secrets where it is read. One is 422 forbidden_material for every use of the upload, and its bytes are deleted with that outcome.',
  },
  'input.owner': {
    source: 'runs § Inputs',
    behavior: 'An input belongs to the agent that uploaded it, and is stored once.',
  },
  'input.bounds': {
    source: 'limits § Task and run limits',
    behavior: 'An upload has at most 256 MB.',
  },
  'input.quota': {
    source: 'runs § Inputs',
    behavior:
      'The stored inputs of one agent have at most INPUT_BYTES_PER_AGENT bytes in total, and at most four uploads run at once.',
  },
  'input.upload': {
    source: 'runs § Inputs',
    behavior:
      'PUT /api/agent-inputs/{sha256} accepts CSV or JSON Lines of an agent with 201, and a repeat with 200. GET describes the input. Everything else is refused.',
  },
  'money.http.activation': {
    source: 'money § Provider events',
    behavior:
      'The eight steps of a provider activation can be read by payment or by run. Each step has its time and its evidence.',
  },
  'input.used': {
    source: 'runs § Inputs',
    behavior:
      'The input of a run may name an uploaded list as {"sha256": …}. The worker and the validator stream it, and the result equals that of the same rows inline.',
  },
  'input.checked': {
    source: 'runs § Inputs',
    behavior:
      'A preflight, quote, start, order or recovery reads the uploads that its input names in full, once for a list and its columns, in a process of the pool. Their faults are those of the same rows inline.',
  },
  'input.readings': {
    source: 'limits § Task and run limits',
    behavior:
      'An agent begins a limited number of readings of uploads, and of their bytes, within 24 hours, exactly under parallel calls; deleting an upload frees none. One more is 429 with the time until there is room; a known reading is free.',
  },
  'input.memory': {
    source: 'runs § Inputs',
    behavior: 'The memory for an upload, and for reading it, does not grow with its length.',
  },
  'input.kept': {
    source: 'runs § Inputs',
    behavior: 'An input is removed a set time after the last task that uses it has closed.',
  },
  'input.guarded-in-sql': {
    source: 'runs § Inputs',
    behavior:
      'SQL refuses a change of a stored input, an incomplete input, and the removal of an input that is in use.',
  },

  'structure.layers': {
    source: 'decision',
    behavior:
      'Each layer keeps the rules for its imports, packages, SQL, environment variables, file sizes and names.',
  },
  'bench.paired': {
    source: 'decision',
    behavior:
      'Two builds are compared in pairs, by the median of their ratios with its distribution-free interval.',
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
  ...trustOperationRequirements,
  ...listingRequirements,
  ...logRequirements,
  ...stepRequirements,
  ...taskRequirements,
  ...productionRequirements,
  ...pilotRequirements,
  ...recoveryRequirements,
  ...exchangeRequirements,
  ...prospectRequirements,
  ...railRequirements,
  ...modelRequirements,
  ...operatorRequirements,
  ...packageRequirements,
  ...walletRequirements,
  ...isolationRequirements,
  ...nodeRequirements,
  ...attackRequirements,
  ...authorityRequirements,
  ...ap2Requirements,
  ...accountRequirements,
  ...feeRequirements,
  ...admissionRequirements,
  ...callerRequirements,
  ...harnessRequirements,
  ...serviceRequirements,
  ...signerRequirements,
  ...stolenRequirements,
  ...keyStandingRequirements,
  ...returnedMoneyRequirements,
  ...verificationRequirements,
  ...viewsRequirements,
  ...discoveryRequirements,
  ...firstUseRequirements,
  ...conformanceRequirements,
  ...consoleRequirements,
  ...traceRequirements,
  ...logWitnessRequirements,
  ...loopRequirements,
  ...mcpRequirements,
  ...mppRequirements,
  ...evidenceRequirements,
  ...commerceRequirements,
} as const satisfies Record<string, Requirement>

export type RequirementId = keyof typeof requirements
