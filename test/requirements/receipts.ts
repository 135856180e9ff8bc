export const receiptRequirements = {
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
} as const
