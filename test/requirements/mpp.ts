/** Requirements on payments by MPP: id → source and behavior. */
export const mppRequirements = {
  'mpp.offer': {
    source: 'money § MPP',
    behavior:
      'Every 402 with an x402 offer for the call itself has one Payment challenge of the method evm and the intent charge for the same amount, asset and payee, in WWW-Authenticate and in the body.',
  },
  'mpp.wire': {
    source: 'money § MPP',
    behavior:
      'Challenges, credentials and receipts have the bytes of mppx: its client signs for a challenge, and its server code recognises the id.',
  },
  'mpp.paid': {
    source: 'money § MPP',
    behavior:
      'The unmodified client of mppx pays a payout operation, which settles on chain once; Payment-Receipt has the transaction and the time of its block.',
  },
  'mpp.one-call': {
    source: 'money § MPP',
    behavior:
      'A credential pays only the call, the body and the header that its challenge was made for, and its nonce is the hash of the challenge.',
  },
  'mpp.refused': {
    source: 'money § MPP',
    behavior:
      'A credential with another realm, amount, payee, nonce, source or form, or with an expired, changed or foreign challenge is 402 payment_invalid that names the fault and has a new challenge; nothing runs and nothing moves.',
  },
  'mpp.replay': {
    source: 'money § MPP',
    behavior:
      'A call that is repeated with its credential gets its stored answer and receipt, also in parallel and after the challenge has expired, and is charged once.',
  },
  'mpp.both-ways': {
    source: 'money § MPP',
    behavior:
      'A call that is paid by x402 and by MPP, in one request or in two at once, has one effect and one charge.',
  },
  'mpp.bearer': {
    source: 'money § MPP',
    behavior:
      'A call that needs Bearer takes the credential in Payment-Authorization, as its challenge says; mppx pays a run in this way.',
  },
  'mpp.mcp': {
    source: 'mcp § Payment',
    behavior:
      'The wrapped MCP client of mppx pays a tool by the challenges in _meta, and gets the receipt in _meta.',
  },
  'mpp.discovery': {
    source: 'money § MPP',
    behavior:
      'OpenAPI names the Payment scheme and x-payment-info for each operation that takes a payment, as the discovery of mppx reads it; agent-tools.json has the headers of both protocols.',
  },
  'mpp.no-storage': {
    source: 'decision',
    behavior:
      'A challenge is stored nowhere: its id is an HMAC under a secret derived from the token keys, so every process recognises it, also after a rotation, and none that was changed.',
  },
  'mpp.precedence': {
    source: 'decision',
    behavior:
      'Where one request has both, the credential of MPP pays, because it is bound to the call; the x402 payment is not read and can pay another call.',
  },
} as const
