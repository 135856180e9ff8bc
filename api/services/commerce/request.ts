import type { Claim, PackageItem } from '#domain/commerce/claims.ts'
import type { MissionKind, ProtocolBinding } from '#domain/commerce/missions.ts'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'

type Content = { sha256: string; bytes?: number | undefined }
/** The request of a commerce proof without its idempotency key. */
export type CommerceRequest = {
  schema_version: 'v1'
  mission: {
    mission_id: string
    kind: MissionKind
    objective: string
    publication_consent: boolean
  }
  agent: { agent_id?: string | undefined; name?: string | undefined; wallet?: string | undefined }
  return_package:
    | { return_package_id: string; claims: Claim[] }
    | {
        artifacts: (Content & { name: string; content?: string | undefined })[]
        claims: Claim[]
      }
  evidence: (Content & {
    id: string
    text?: string | undefined
    dated?: string | undefined
    receipt_id?: string | undefined
  })[]
  payment?: { payment_reference_id: string; amount_usd?: number | undefined } | undefined
  authority?: { mandate_id: string } | undefined
  protocol_binding?: ProtocolBinding | undefined
}

/** The named parts of an inline package and of the evidence. Throws 422 `evidence_mismatch` for content that is not what was announced. */
export function itemsOf({
  return_package,
  evidence,
}: Pick<CommerceRequest, 'return_package' | 'evidence'>): {
  artifacts: PackageItem[]
  evidence: PackageItem[]
} {
  const inline = 'artifacts' in return_package ? return_package.artifacts : []
  return {
    artifacts: inline.map(({ content, ...item }, at) =>
      itemOf(item.name, { ...item, text: content }, `/return_package/artifacts/${at}`),
    ),
    evidence: evidence.map((item, at) => evidenceOf(item, `/evidence/${at}`)),
  }
}

/** The id of a receipt is its digest. */
function evidenceOf(
  { id, receipt_id, ...content }: CommerceRequest['evidence'][number],
  pointer: string,
): PackageItem {
  if (receipt_id !== undefined && receipt_id !== `rc_${content.sha256}`)
    throw mismatch(`${pointer}/sha256`, 'is not that of the receipt')
  return itemOf(id, content, pointer)
}

function itemOf(
  name: string,
  { sha256, bytes, text }: Content & { text?: string | undefined },
  pointer: string,
): PackageItem {
  if (text === undefined) return { name, sha256, bytes: bytes ?? null, text: null }
  if (sha256Hex(text) !== sha256) throw mismatch(`${pointer}/sha256`, 'is not that of the content')
  const length = Buffer.byteLength(text)
  if (bytes !== undefined && bytes !== length)
    throw mismatch(`${pointer}/bytes`, `the content has ${length}`)
  return { name, sha256, bytes: length, text }
}

function mismatch(pointer: string, message: string) {
  return refuse('evidence_mismatch', {
    detail: `${pointer} ${message}`,
    next_action: 'Compute the SHA-256 of the UTF-8 bytes of each content, and send that.',
    errors: [{ pointer, message }],
  })
}

export type Digests = ReturnType<typeof digestsOf>

/** The digests by which a request and its parts are found again, and the canonical text of the request. */
export function digestsOf(request: CommerceRequest) {
  const { mission_id, objective } = request.mission
  const text = canonicalJson(request)
  return {
    text,
    request_sha256: sha256Hex(text),
    mission_sha256: digestOf({ type: 'service.commerce-mission.v1', mission_id, objective }),
    package_sha256: packageDigest(request),
  }
}

/** The same work has the same digest, whatever its parts are called, in whatever order and however often they are sent. */
export function packageDigest({ return_package }: Pick<CommerceRequest, 'return_package'>): string {
  const named =
    'artifacts' in return_package
      ? { artifacts: [...new Set(return_package.artifacts.map(({ sha256 }) => sha256))].sort() }
      : { return_package_id: return_package.return_package_id }
  return digestOf({ type: 'service.commerce-package.v1', ...named })
}
