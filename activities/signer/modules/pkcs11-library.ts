import { createRequire } from 'node:module'

type Handle = Buffer
type Attribute = { type: number; value?: Buffer | number | boolean | string }
type Mechanism = { mechanism: number }

/** The functions of PKCS#11 (Cryptoki) that are used here, as the package `pkcs11js` has them; its errors have `code`, a CKR value. */
export type Pkcs11Library = {
  load(path: string): void
  close(): void
  C_Initialize(options: { flags: number }): void
  C_Finalize(): void
  C_GetSlotList(withToken: boolean): Handle[]
  C_GetTokenInfo(slot: Handle): { label: string }
  C_OpenSession(slot: Handle, flags: number): Handle
  C_CloseSession(session: Handle): void
  C_CloseAllSessions(slot: Handle): void
  C_Login(session: Handle, user: number, pin: string): void
  C_FindObjectsInit(session: Handle, template: Attribute[]): void
  C_FindObjects(session: Handle, most: number): Handle[]
  C_FindObjectsFinal(session: Handle): void
  C_GetAttributeValue(
    session: Handle,
    object: Handle,
    template: Attribute[],
  ): { type: number; value: Buffer }[]
  C_GenerateKeyPairAsync(
    session: Handle,
    mechanism: Mechanism,
    publicTemplate: Attribute[],
    privateTemplate: Attribute[],
  ): Promise<{ publicKey: Handle; privateKey: Handle }>
  C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void
  C_SignAsync(session: Handle, data: Buffer, output: Buffer): Promise<Buffer>
}

/** Values of PKCS#11 3.0. */
export const CK = {
  CKF_OS_LOCKING_OK: 0x2,
  CKF_RW_SESSION: 0x2,
  CKF_SERIAL_SESSION: 0x4,
  CKU_USER: 1,
  CKO_PUBLIC_KEY: 2,
  CKO_PRIVATE_KEY: 3,
  CKK_EC: 0x3,
  CKK_EC_EDWARDS: 0x40,
  CKM_EC_KEY_PAIR_GEN: 0x1040,
  CKM_ECDSA: 0x1041,
  CKM_EC_EDWARDS_KEY_PAIR_GEN: 0x1055,
  CKM_EDDSA: 0x1057,
  CKA_CLASS: 0x0,
  CKA_TOKEN: 0x1,
  CKA_PRIVATE: 0x2,
  CKA_LABEL: 0x3,
  CKA_KEY_TYPE: 0x100,
  CKA_ID: 0x102,
  CKA_SENSITIVE: 0x103,
  CKA_SIGN: 0x108,
  CKA_VERIFY: 0x10a,
  CKA_EXTRACTABLE: 0x162,
  CKA_EC_PARAMS: 0x180,
  CKA_EC_POINT: 0x181,
} as const

export const CKR = {
  GENERAL_ERROR: 0x5,
  FUNCTION_FAILED: 0x6,
  DEVICE_ERROR: 0x30,
  DEVICE_REMOVED: 0x32,
  KEY_HANDLE_INVALID: 0x60,
  OBJECT_HANDLE_INVALID: 0x82,
  OPERATION_ACTIVE: 0x90,
  OPERATION_NOT_INITIALIZED: 0x91,
  PIN_INCORRECT: 0xa0,
  PIN_INVALID: 0xa1,
  PIN_LEN_RANGE: 0xa2,
  PIN_EXPIRED: 0xa3,
  PIN_LOCKED: 0xa4,
  SESSION_CLOSED: 0xb0,
  SESSION_HANDLE_INVALID: 0xb3,
  TOKEN_NOT_PRESENT: 0xe0,
  TOKEN_NOT_RECOGNIZED: 0xe1,
  USER_ALREADY_LOGGED_IN: 0x100,
  USER_NOT_LOGGED_IN: 0x101,
  CRYPTOKI_NOT_INITIALIZED: 0x190,
  CRYPTOKI_ALREADY_INITIALIZED: 0x191,
} as const

/** The CKR value of an error of the library; undefined for any other error. */
export const ckrOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

/** Loads a module, which may then be called by several threads; throws where the package or the module cannot be loaded. */
export function loadPkcs11(path: string): Pkcs11Library {
  const library = new (packageOf().PKCS11)()
  try {
    library.load(path)
  } catch (error) {
    throw new Error(`PKCS11_MODULE ${path} cannot be loaded`, { cause: error })
  }
  initialize(library)
  return library
}

/** Begins, where nothing else in this process did. */
export function initialize(library: Pkcs11Library): void {
  try {
    library.C_Initialize({ flags: CK.CKF_OS_LOCKING_OK })
  } catch (error) {
    if (ckrOf(error) !== CKR.CRYPTOKI_ALREADY_INITIALIZED) throw error
  }
}

/** An optional dependency: npm compiles it where there are a compiler and the headers of Node. */
function packageOf(): { PKCS11: new () => Pkcs11Library } {
  try {
    return createRequire(import.meta.url)('pkcs11js')
  } catch (error) {
    throw new Error(
      'PKCS#11 needs the package pkcs11js, which npm compiles: install g++, make and python3, and run npm ci again',
      { cause: error },
    )
  }
}
