import { digestOf } from '../core/canonical-json.ts'

/** `typ` of the signature of an audit pack; the receipt ring signs it. */
export const AUDIT_PACK_TYP = 'loop-audit-pack+jwt'

type Parts = Readonly<Record<'decisions' | 'loops' | 'ledger_heads' | 'receipts', unknown[]>>

/** The digest of what a pack holds, and the claims that its signature stands for. */
export function packClaims(
  { asked, page, parts }: { asked: object; page: object; parts: Parts },
  { issuer, iat }: { issuer: string; iat: number },
) {
  const pack_sha256 = digestOf({ type: 'service.loop-audit-pack.v1', asked, page, ...parts })
  const counts = Object.fromEntries(Object.entries(parts).map(([part, all]) => [part, all.length]))
  return { iss: issuer, iat, kind: 'loop_audit_pack', sub: pack_sha256, asked, page, counts }
}
