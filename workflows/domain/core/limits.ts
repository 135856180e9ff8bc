/** Every number that limits something, once, with its unit in its name. Numbers without a comment stand in the payout document. */
export const limits = {
  maxPayoutAtomic: 25_000_000n,
  dailyCapAtomic: 100_000_000n,
  priceAtomic: 100_000n,
  freeCallsPerWindow: 10,
  freeWindowSeconds: 30 * 24 * 3600,
  proofAgeSecondsMax: 300,
  /** Decision: tolerated clock advance of a caller. */
  proofAheadSecondsMax: 30,
  proofHeaderBytesMax: 2048,
  memoCharsMax: 1024,
  railReferenceCharsMax: 256,
  idempotencyKeyCharsMax: 128,
  presentationCharsMax: 24_576,
  challengeTokenCharsMax: 8192,
  expiresAtMax: 4_102_444_800,
  bodyBytesMax: 65_536,
  /** Decision: the body of a payment provider's event; Stripe's thin and full events stay below it. */
  providerEventBytesMax: 1_048_576,
  /** Passports, packs and proofs have this many characters at most. */
  artifactCharsMax: 24_000,
  /** Decision: the body of an analysis of evidence, of every caller. */
  analysisBodyBytesMax: 262_144,
  /** Decision: how long an analysis waits for the model. */
  analysisWaitMs: 15_000,
  /** Decision: the body that carries one of them, with each character escaped. */
  trustBodyBytesMax: 300_000,
  /** Decision: how deep the lists and objects of a body may nest. */
  jsonDepthMax: 64,
  inputBytesMax: 256 * 1024 * 1024,
  /** Decision: inputs that one agent may be uploading at once. */
  inputUploadsMax: 4,
  /** Decision: uploads of one agent that are read at once. */
  uploadChecksMax: 2,
  /** Decision: readings of uploads that one agent may begin within 24 hours, and their bytes. */
  uploadReadings: { readings: 1_000, bytes: 16 * 1024 ** 3 },
  uploadReadingsOfSandbox: { readings: 100, bytes: 64 * 1024 ** 2 },
  /** Decision: processor time that the work of callers without trust of one network may take within a window. */
  computeMsOfNetwork: 300_000,
  computeWindowSeconds: 600,
  /** Decision: how long a call waits for the reading of its uploads. */
  uploadCheckWaitMs: 8_000,
  /** Decision: new services of others by host and day, and how many may wait for a decision. */
  candidatesOfHostPerDay: 10,
  candidatesWaitingMax: 1_000,
  /** Decision: of these, those of one agent, and those of all callers without an agent together. */
  candidatesOfAgentMax: 20,
  candidatesOfAnonymousMax: 100,
  /** Decision: how long a call waits for the inspection that another call makes. */
  inspectionWaitMs: 8_000,
  inspectionsAtOnce: 4,
  /** Decision: inspections that wait in a process; at 5 s each all of them end within the 20 s for which one is claimed. */
  inspectionsWaitingMax: 12,
  /** Decision: how long a call waits for the test that it begins, tests that are open at once, and reports of an agent a day. */
  harnessWaitMs: 12_000,
  harnessOpenMax: 2,
  regressionReportsPerDay: 100,
  /** Decision: how far ahead the deadline of an order on the exchange is at most, and claims that one agent may hold at once. */
  exchangeSecondsMax: 30 * 24 * 3600,
  claimsHeldMax: 10,
  /** Decision: payments that one agent named and that wait, and that were rejected within 24 hours. */
  paymentsNamedWaitingMax: 100,
  paymentsRejectedPerDay: 20,
  /** Decision: fees that are due and that one payment into a wallet collects; a timer collects the others. */
  feesCollectedMax: 20,
  /** Decision: workflows of one agent that are not over. */
  workflowsOfAgentMax: 20,
  /** The longest time for one upload. Bytes without a name after this time belong to an interrupted upload. */
  inputUploadMsMax: 3_600_000,
  /** Decision: an execute needs this much life left, so that the transfer can confirm before it dies. */
  executeLifeSecondsMin: 30,
  keyBindingAgeSecondsMax: 300,
  dailyWindowSeconds: 24 * 3600,
  /** Decision: measured bound below which concurrent updates of one workflow never run twice. */
  updatesInFlightMax: 6,
  disclosuresMax: 16,
  /** Decision: disclosures of one mandate in a chain of AP2. */
  ap2DisclosuresMax: 96,
  /** Decision: after it an agent's credential has to be rotated. */
  credentialLifeSeconds: 90 * 24 * 3600,
  /** Decision: the longest time for which a rotated credential stays valid. */
  credentialOverlapSecondsMax: 604_800,
  /** Decision: the life of a handshake nonce. */
  handshakeNonceSeconds: 300,
  /** Decision: how long after its nonce has ended a handshake that was taken may be repeated for its answer. */
  handshakeRepeatSeconds: 600,
  /** Decision: the window in which failed credentials are counted. */
  failedAttemptsWindowSeconds: 60,
  /** Decision: calls of one client address that a process looks into at once before it knows their callers. */
  unknownCallsAtOnce: 8,
  /** Decision: what each attempt at a credential waits that others are guessing at; its agent is slowed, never locked out. */
  guessedCredentialDelayMs: 1_000,
} as const

/** What the trust operations keep to, under the names of the document. */
export const trustLimits = {
  recordsPerWallet: 256,
  bytesPerWallet: 4_194_304,
  casAttempts: 32,
  proofPageSize: 25,
  handoffInputBytes: 12_000,
  refundsPerScore: 12,
} as const

export const NETWORK = 'eip155:8453'
export const CHAIN_ID = 8453
/** USDC on this chain, as its issuer names it. */
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const ASSET_DECIMALS = 6
export const ASSET_NAME = 'USD Coin'
export const ASSET_VERSION = '2'
