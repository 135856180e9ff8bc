/** What the offline verifiers owe. */
export const verificationRequirements = {
  'verify.vectors': {
    source: 'trust § Verification',
    behavior:
      'Published test vectors, good and bad, say how each signed artifact is judged. Each kind that is verified has some. Our verifier agrees with all of them, and an independent one in Python with all but those of return packages.',
  },
  'verify.mutations': {
    source: 'trust § Verification',
    behavior:
      'A change of any member or byte of a signed artifact is refused with the reason, and no artifact passes for another kind.',
  },
  'verify.hostile': {
    source: 'decision',
    behavior: 'Whatever a verifier is given, it answers with a verdict and never fails.',
  },
  'verify.standing': {
    source: 'trust § Key status',
    behavior:
      'The standing of a key is judged at the time of issue: a retired key keeps what it signed before, a revoked key signs nothing from its revocation on, and what it dates before is indeterminate.',
  },
  'verify.agreement': {
    source: 'decision',
    behavior: 'The offline verifiers, the service and the client judge the same artifact the same.',
  },
  'verify.cli': {
    source: 'trust § Verification',
    behavior:
      'The command agent-rails verify FILE prints a verdict with its reasons, offline. It exits with 0 for valid, 1 for invalid and 3 for what cannot be decided.',
  },
  'verify.bodies': {
    source: 'trust § Verification',
    behavior:
      'Attestations, replay packages and audit packs are verified with the body that their signature stands for: a changed body is invalid, and so is one that says more than was signed; a signature without its body cannot be decided.',
  },
  'verify.one-reading': {
    source: 'decision',
    behavior:
      'A file whose JSON names a member twice is malformed, because readers take different ones of them (RFC 7493, 2.3). The commands that read JSON files refuse it too.',
  },
  'verify.log': {
    source: 'trust § Verification',
    behavior:
      'A receipt has a `log_state`. A program exits with 0 only for one that is included or a sample, with 1 for absent and with 3 for pending and not checked. With --log the place is looked up and its proof verified.',
  },
  'verify.chain': {
    source: 'decision',
    behavior:
      'With a chain, the transaction that a receipt names is looked up there: a receipt without the transfer is invalid; a missing receipt, which proves nothing, and a chain that is away are indeterminate.',
  },
  'verify.page': {
    source: 'trust § Verification',
    behavior:
      'The page /verify verifies a file in the browser. It sends nothing, and loads the key set of the service only on a click.',
  },
} as const
