export const walletProofRequirements = {
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
} as const
