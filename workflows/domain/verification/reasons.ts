/** Why an artifact is not valid, as codes with what each means. docs/verify.md explains them; docs/verify.py uses the same. */
export const reasons = {
  malformed: 'it does not have the form of its kind',
  unknown_kind: 'it is nothing that this verifies',
  bundle_unsupported:
    'it is a proof of a transparency log, which this release does not verify: take the receipt out of it',
  wrong_type: 'it is an artifact of another kind',
  wrong_algorithm: 'it is not signed by EdDSA, or its header has a critical extension',
  unknown_key: 'the key set has no key of this purpose under its key id',
  key_unsound: 'its key is no Ed25519 key, not canonical, or of small order',
  signature_invalid: 'its signature is not that of the named key over exactly this content',
  claims_invalid: 'a member that its kind requires is missing or of another type',
  key_retired: 'its key was retired before its date',
  key_revoked: 'its key was revoked',
  not_yet_valid: 'it is not valid yet',
  expired: 'it has expired',
  keys_missing: 'there is no key set: nothing was verified',
  claims_mismatch: 'what it says is not what was signed',
  proof_mismatch: 'its proof hash is not the digest of the proof',
  manifest_mismatch: 'its manifest is not the one that was signed',
  file_changed: 'a file of its manifest is missing or was changed',
  file_surplus: 'a file is not in its manifest',
  result_mismatch: 'its result is not the one that was signed',
  transfer_absent: 'the chain has no such transfer under the transaction that it names',
  chain_other: 'the RPC serves another chain',
  chain_unavailable: 'the RPC did not answer',
} as const
export type Reason = keyof typeof reasons
