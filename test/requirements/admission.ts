/** Requirements on what a call may cost before and after its caller is known: id → source and behavior. */
export const admissionRequirements = {
  'admission.caller-first': {
    source: 'calls § Pipeline',
    behavior:
      'A wrong credential, webhook signature or wallet proof is refused before the body is read as JSON, and a body that is refused is not screened.',
  },
  'admission.body-size': {
    source: 'calls § Bodies',
    behavior:
      'A body without a credential is at most 64 KiB, also where the operation takes larger ones, and also with a credential of a kind that the operation does not take.',
  },
  'admission.optional-body': {
    source: 'calls § Bodies',
    behavior:
      'A body of no bytes is read as {} where the schema takes {}, and OpenAPI requires no body there. Any other empty body is 400 invalid_json.',
  },
  'admission.json-depth': {
    source: 'calls § Bodies',
    behavior:
      'A body whose lists and objects nest more than 64 levels deep returns 400 invalid_json.',
  },
  'admission.screening-kinds': {
    source: 'calls § Forbidden material',
    behavior:
      'Free text, and the names in it, are refused with PEM, private JWKs, BIP-39 phrases, known key prefixes, bearer tokens, passwords (labelled or in URLs), formatted SSNs, and 64 hex digits that a label marks as a private key or seed. Unlabelled hex passes: digests and transaction hashes in memo, rail_reference and packet contents are accepted.',
  },
  'admission.unique-names': {
    source: 'calls § Bodies',
    behavior:
      'A body in which an object names a member twice is 400 invalid_json, and -32700 for MCP, so that a signature, a digest and the effect are of the same values.',
  },
  'calls.one-reader': {
    source: 'calls § Bodies',
    behavior:
      'JSON in a wallet proof, a payment of x402 or MPP, a key binding, a mandate and its disclosures is read as a body is: one that names a member twice, begins with a byte order mark or nests deeper than 64 levels is refused like a malformed one.',
  },
  'admission.faults-bounded': {
    source: 'calls § Bodies',
    behavior:
      'A refusal lists at most 20 faults, and a problem has at most 8 KiB, whatever the body is. A faulty call counts for the limit of its caller, and a caller over its limit is refused before its body is held against the schema, but for as many calls again that may be repeats.',
  },
  'admission.new-wallets': {
    source: 'calls § Rate limits',
    behavior:
      'Calls of wallets that never paid count against their address, 60 a minute for all of them and as calls that prove nothing; a wallet that paid has its own limit alone.',
  },
  'calls.repeats-at-once': {
    source: 'calls § Idempotency',
    behavior:
      'Fifty repeats of a call that are sent at once are all answered with the one answer: one of them works in each process, and the others wait for its end. Of more than 100 in a process the others are 503 contention, with the time until those have ended.',
  },
  'admission.compute': {
    source: 'limits § Task and run limits',
    behavior:
      'The processor time of sandbox runs and readings counts for the network of callers without trust, from which their agents were registered; that of rankings, analyses, manifests and checks of deliveries for the network that calls. A network that has used 300 s within 600 s is refused with 429 and the time until its window ends; other networks and trusted agents are served.',
  },
  'admission.connections': {
    source: 'limits § Call limits',
    behavior:
      'However many idle connections and slow bodies one network begins, calls of other networks are answered; a connection over its limit is ended before a byte of it is read.',
  },
  'admission.counts-bounded': {
    source: 'limits § Quotas',
    behavior:
      'Counts in public reads, and totals of the lists of runs, end at 1,000 and read by index, however many records there are.',
  },
  'admission.searches-bounded': {
    source: 'limits § Quotas',
    behavior:
      'The lists of the exchange and of the registry of agents, and their searches, look at the newest 10,000 rows that may be listed, read by an index, however many there are.',
  },
  'admission.screening-bounded': {
    source: 'calls § Forbidden material',
    behavior:
      'Screening is linear and bounded: 64 KiB of any content take at most 16 times the processor time of their SHA-256 in JavaScript. At most 1,000 checksums are computed for a body; a body with more candidates is refused as a recovery phrase.',
  },
  'admission.signature-list': {
    source: 'calls § Access kinds',
    behavior:
      'A webhook has at most four signatures, and the check of a wrong one takes less than 10 ms of processor time.',
  },
  'admission.address-form': {
    source: 'calls § Rate limits',
    behavior:
      'Limits count an IPv6 address by its /64 network, and an IPv4 address that is mapped into IPv6 as IPv4.',
  },
  'admission.other-services': {
    source: 'calls § Wallet proof',
    behavior:
      'Another service is asked about a signature of a contract wallet or a token of an unknown key only within the limits of the address. A signature of a wallet that paid is accepted over those limits where this process can check it.',
  },
  'admission.unknown-calls': {
    source: 'limits § Call limits',
    behavior:
      'A process handles at most eight unidentified calls of one address at once. The others wait, and calls of other addresses are not delayed. Late answers and calls of known callers take no slot.',
  },
  'admission.failures-cheap': {
    source: 'calls § Rate limits',
    behavior:
      'Failed attempts are counted in batches, one statement of a process at a time; an address that is over its limit costs no further statement until its window ends.',
  },
  'admission.repeated-read': {
    source: 'calls § Rate limits',
    behavior: 'A read that repeats its proof counts like any other call of its wallet.',
  },
  'admission.quotas': {
    source: 'limits § Quotas',
    behavior:
      'Registrations, tasks, workflows, descriptions of services of others, callback requests and kept bytes have daily quotas, counted in Postgres, of an agent, of a client address without trust, and in total; trusted callers have a total of their own, which others cannot exhaust.',
  },
  'admission.posts-sent': {
    source: 'callbacks § Delivery',
    behavior:
      'Each callback request is counted in Postgres before it is sent, for its owner and for all requests of its kind. When a quota is used up, the delivery waits for the next UTC day with the reason post_quota, without a failed attempt.',
  },
  'admission.proof-once': {
    source: 'callbacks § Payout callbacks',
    behavior:
      'The wallet proof of a payout callback sets the URL once. A repeat returns the first response and changes nothing.',
  },
  'admission.upload-room': {
    source: 'runs § Inputs',
    behavior:
      'A sandbox agent may store a few megabytes. Sandbox agents and all other agents each have a total, and an upload reserves its share of it. Uploads are refused when the local volume has too little free space.',
  },
  'admission.upload-sweep': {
    source: 'runs § Inputs',
    behavior:
      'Unused uploads of sandbox agents are removed after INPUT_KEEP_SANDBOX_MS, and those of other agents after INPUT_KEEP_MS.',
  },
  'admission.undecided-orders': {
    source: 'runs § Work orders',
    behavior:
      'A public work order that is not decided within WORK_ORDER_KEEP_MS is rejected, and its tasks close without their inputs. Orders of agents, decided orders, orders with a payment challenge and all receipts remain.',
  },
  'admission.local-hosts': {
    source: 'stack § Local files',
    behavior:
      'The embedded chain and the Temporal UI answer 421 to a foreign Host or Origin. Under a foreign Host, /metrics returns 404 without an operator credential.',
  },
  'admission.registered-callback': {
    source: 'agents § Registration',
    behavior:
      'A sandbox agent can register only the demo receiver as its callback URL. No agent can register a URL inside our network.',
  },
} as const
