import { randomBytes } from 'node:crypto'
import type { Pkcs11Reference } from '../../keys/module-reference.ts'
import type { Curve, KeyModule, PublicPoint } from './module.ts'
import { CK, loadPkcs11 } from './pkcs11-library.ts'
import { openToken, type Session } from './pkcs11-token.ts'

type Pkcs11Curve = {
  readonly keyType: number
  readonly generate: number
  readonly sign: number
  /** The DER of the curve's object identifier (RFC 5480, RFC 8410). */
  readonly params: Buffer
  readonly pointBytes: number
}

const ec = { keyType: CK.CKK_EC, generate: CK.CKM_EC_KEY_PAIR_GEN, sign: CK.CKM_ECDSA }
const curves: Readonly<Record<Curve, Pkcs11Curve>> = {
  Ed25519: {
    keyType: CK.CKK_EC_EDWARDS,
    generate: CK.CKM_EC_EDWARDS_KEY_PAIR_GEN,
    sign: CK.CKM_EDDSA,
    params: Buffer.from('06032b6570', 'hex'),
    pointBytes: 32,
  },
  'P-256': { ...ec, params: Buffer.from('06082a8648ce3d030107', 'hex'), pointBytes: 65 },
  secp256k1: { ...ec, params: Buffer.from('06052b8104000a', 'hex'), pointBytes: 65 },
}
const SIGNATURE_BYTES = 64

type Pkcs11Settings = { library: string; label: string; pin: string }

/** A token of a PKCS#11 module; calls of the module that take time run in threads of their own. */
export function openPkcs11({
  library: path,
  label,
  pin,
}: Pkcs11Settings): KeyModule<Pkcs11Reference> {
  const library = loadPkcs11(path)
  const token = openToken(library, { label, pin })
  return {
    open: async (reference, curve) => {
      const publicJwk = await token.use(async (session) => {
        privateKeyOf(session, reference)
        return publicPointOf(session, reference, curve)
      })
      return {
        publicJwk,
        sign: (bytes) => token.use((session) => sign(session, { reference, curve, bytes })),
      }
    },
    make: (name, curve) =>
      token.use(async (session) => {
        const reference = { label: name }
        if (findAll(session, CK.CKO_PRIVATE_KEY, reference).length === 0)
          await generate(session, name, curves[curve])
        return reference
      }),
    close: () => {
      library.C_Finalize()
      library.close()
    },
  }
}

type Asked = { reference: Pkcs11Reference; curve: Curve; bytes: Uint8Array }

async function sign(session: Session, { reference, curve, bytes }: Asked): Promise<Uint8Array> {
  const { library, handle } = session
  library.C_SignInit(handle, { mechanism: curves[curve].sign }, privateKeyOf(session, reference))
  return library.C_SignAsync(handle, Buffer.from(bytes), Buffer.alloc(SIGNATURE_BYTES))
}

/** The private key, if it can never leave the module. */
function privateKeyOf(session: Session, reference: Pkcs11Reference): Buffer {
  const name = JSON.stringify(reference)
  const known = session.keys.get(name)
  if (known !== undefined) return known
  const key = findOne(session, CK.CKO_PRIVATE_KEY, reference)
  const [sensitive, extractable] = attributesOf(session, key, [
    CK.CKA_SENSITIVE,
    CK.CKA_EXTRACTABLE,
  ])
  if (sensitive?.[0] !== 1 || extractable?.[0] !== 0)
    throw new Error(`PKCS#11: the private key ${name} may leave its token; make one that may not`)
  session.keys.set(name, key)
  return key
}

function publicPointOf(session: Session, reference: Pkcs11Reference, curve: Curve): PublicPoint {
  const key = findOne(session, CK.CKO_PUBLIC_KEY, reference)
  const [params, encoded] = attributesOf(session, key, [CK.CKA_EC_PARAMS, CK.CKA_EC_POINT])
  const { params: expected, pointBytes } = curves[curve]
  const point = pointOf(encoded ?? Buffer.alloc(0), pointBytes)
  if (point === undefined || params?.equals(expected) !== true)
    throw new Error(`PKCS#11: the key ${JSON.stringify(reference)} is not one for ${curve}`)
  if (curve === 'Ed25519') return { kty: 'OKP', crv: curve, x: point.toString('base64url') }
  const [x, y] = [point.subarray(1, 33), point.subarray(33)]
  return { kty: 'EC', crv: curve, x: x.toString('base64url'), y: y.toString('base64url') }
}

const OCTET_STRING = 0x04

/** The point itself, which modules have within an octet string (DER) or bare. */
function pointOf(encoded: Buffer, bytes: number): Buffer | undefined {
  if (encoded.length === bytes) return encoded
  const isWrapped =
    encoded.length === bytes + 2 && encoded[0] === OCTET_STRING && encoded[1] === bytes
  return isWrapped ? encoded.subarray(2) : undefined
}

async function generate(
  { library, handle }: Session,
  label: string,
  { keyType, generate: mechanism, params }: Pkcs11Curve,
): Promise<void> {
  const both = [
    { type: CK.CKA_TOKEN, value: true },
    { type: CK.CKA_KEY_TYPE, value: keyType },
    { type: CK.CKA_LABEL, value: label },
    { type: CK.CKA_ID, value: randomBytes(16) },
  ]
  await library.C_GenerateKeyPairAsync(
    handle,
    { mechanism },
    [
      ...both,
      { type: CK.CKA_CLASS, value: CK.CKO_PUBLIC_KEY },
      { type: CK.CKA_VERIFY, value: true },
      { type: CK.CKA_EC_PARAMS, value: params },
    ],
    [
      ...both,
      { type: CK.CKA_CLASS, value: CK.CKO_PRIVATE_KEY },
      { type: CK.CKA_PRIVATE, value: true },
      { type: CK.CKA_SENSITIVE, value: true },
      { type: CK.CKA_EXTRACTABLE, value: false },
      { type: CK.CKA_SIGN, value: true },
    ],
  )
}

function findOne(session: Session, objectClass: number, reference: Pkcs11Reference): Buffer {
  const [key, second] = findAll(session, objectClass, reference)
  const kind = objectClass === CK.CKO_PRIVATE_KEY ? 'private' : 'public'
  const name = JSON.stringify(reference)
  if (key === undefined) throw new Error(`PKCS#11: the token has no ${kind} key ${name}`)
  if (second !== undefined) throw new Error(`PKCS#11: the token has two ${kind} keys ${name}`)
  return key
}

/** At most two of them. */
function findAll(
  { library, handle }: Session,
  objectClass: number,
  reference: Pkcs11Reference,
): Buffer[] {
  const named =
    'id' in reference
      ? { type: CK.CKA_ID, value: Buffer.from(reference.id, 'hex') }
      : { type: CK.CKA_LABEL, value: reference.label }
  const template = [
    { type: CK.CKA_CLASS, value: objectClass },
    { type: CK.CKA_TOKEN, value: true },
    named,
  ]
  library.C_FindObjectsInit(handle, template)
  try {
    return library.C_FindObjects(handle, 2)
  } finally {
    library.C_FindObjectsFinal(handle)
  }
}

const attributesOf = (
  { library, handle }: Session,
  object: Buffer,
  types: readonly number[],
): Buffer[] =>
  library
    .C_GetAttributeValue(
      handle,
      object,
      types.map((type) => ({ type })),
    )
    .map(({ value }) => value)
