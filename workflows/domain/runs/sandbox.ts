/** What a caller of a sandbox run may have go wrong; each happens on the path that it takes in a real run. */
export const sandboxFaults = [
  'none',
  'missing_evidence',
  'worker_exception',
  'callback_failure',
] as const
export type SandboxFault = (typeof sandboxFaults)[number]

/** The tier of a run that nothing pays for. */
export const SANDBOX_TIER = 'standard'
