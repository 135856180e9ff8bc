/** Requirements on what a call may cost before and after its caller is known: id → source and behavior. */
export const admissionRequirements = {
  'admission.caller-first': {
    source: 'api-conventions § The call pipeline, in order',
    behavior:
      'A wrong credential, webhook signature or wallet proof is refused before the body is read as JSON, and a body that is refused is not screened.',
  },
  'admission.body-size': {
    source: 'api-conventions § The call pipeline, in order',
    behavior:
      'A body without a credential is at most 64 KiB, also where the operation takes larger ones, and also with a credential of a kind that the operation does not take.',
  },
  'admission.json-depth': {
    source: 'api-conventions § The call pipeline, in order',
    behavior: 'A body whose lists and objects nest deeper than 64 levels is 400 invalid_json, however deep it is.',
  },
  'admission.screening-kinds': {
    source: 'api-conventions § Bodies',
    behavior:
      'Free text, and the names in it, are refused with PEM, private JWKs, BIP-39 phrases, known key prefixes, bearer tokens, passwords (labelled or in URLs), formatted SSNs, and 64 hex digits that a label marks as a private key or seed. Unlabelled hex passes: digests and transaction hashes in memo, rail_reference and packet contents are accepted.',
  },
  'admission.screening-bounded': {
    source: 'api-conventions § The call pipeline, in order',
    behavior:
      'Screening is linear and bounded: 64 KiB take at most 5 ms of processor time, whatever is in them; at most 1,000 checksums are worked out for a body, and what has more is refused as a recovery phrase.',
  },
  'admission.signature-list': {
    source: 'api-conventions § Access kinds',
    behavior: 'A webhook has at most four signatures, and judging a wrong one costs less than 10 ms of processor time.',
  },
  'admission.address-form': {
    source: 'api-conventions § Access kinds',
    behavior: 'Limits count an IPv6 address by its /64 network, and IPv4 that is mapped into IPv6 as IPv4.',
  },
  'admission.other-services': {
    source: 'api-conventions § Access kinds',
    behavior:
      'A signature of a contract wallet and a token of an unknown key have another service asked only within the limits of the address; a signature that this process can check is accepted whatever its address did before.',
  },
  'admission.unknown-calls': {
    source: 'decision',
    behavior:
      'A process looks into eight calls of one address at once until it knows their callers; the others wait, and calls of other addresses come between them. Late answers and calls of known callers take no slot.',
  },
  'admission.failures-cheap': {
    source: 'decision',
    behavior:
      'Failed attempts are counted in batches, one statement of a process at a time; an address that is over its limit costs no further statement until its window ends.',
  },
  'admission.repeated-read': {
    source: 'api-conventions § Access kinds',
    behavior: 'A read that repeats its proof counts like any other call of its wallet.',
  },
  'admission.quotas': {
    source: 'decision',
    behavior:
      'Registrations, tasks, workflows, callback requests and kept bytes have daily quotas, counted in Postgres, of an agent, of a client address without trust, and in total; trusted callers have a total of their own, which others cannot exhaust.',
  },
  'admission.posts-sent': {
    source: 'decision',
    behavior:
      'Each callback request is counted in Postgres before it is sent, of its owner and of all of its kind; where a quota is used up the delivery waits for the next UTC day as post_quota, without a failed attempt, and is then sent.',
  },
  'admission.proof-once': {
    source: 'api-conventions § Access kinds',
    behavior:
      'The wallet proof that set a payout callback sets it once: its repeat gets the first answer and changes nothing.',
  },
  'admission.upload-room': {
    source: 'decision',
    behavior:
      'A sandbox agent may store a few MB; all sandboxes and all other agents have a total each, of which an upload reserves what it may have; below a threshold of free space on the local volume uploads are refused.',
  },
  'admission.upload-sweep': {
    source: 'decision',
    behavior:
      'Unused uploads of sandbox agents are removed after INPUT_KEEP_SANDBOX_MS, those of others after INPUT_KEEP_MS.',
  },
  'admission.undecided-orders': {
    source: 'decision',
    behavior:
      'A public work order that was not decided within WORK_ORDER_KEEP_MS is rejected and its tasks close without their inputs; orders of agents, decided ones and those that money was asked for stay, and so do all receipts.',
  },
  'admission.local-hosts': {
    source: 'decision',
    behavior:
      'The embedded chain and Temporal UI answer 421 to a Host that does not name this machine and to an Origin elsewhere; /metrics is not found under a foreign Host without an operator credential.',
  },
  'admission.registered-callback': {
    source: 'tasks.md § Callbacks',
    behavior: 'A sandbox agent registers only the demo receiver as its callback URL, and no agent a URL inside.',
  },
} as const
