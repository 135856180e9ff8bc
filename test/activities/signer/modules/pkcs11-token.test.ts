import { expect } from 'vitest'
import { CKR, type Pkcs11Library } from '../../../../activities/signer/modules/pkcs11-library.ts'
import { openToken } from '../../../../activities/signer/modules/pkcs11-token.ts'
import { verifies } from '../../../verifies.ts'

const fault = (code: number) => Object.assign(new Error(`code ${code}`), { code })

/** A library that counts its open sessions; `logins` are the codes of its next logins, 0 for one that succeeds. */
function fakeLibrary(logins: number[], sessionsMax = 100) {
  const open = new Set<Buffer>()
  const library = {
    C_Initialize: () => undefined,
    C_Finalize: () => undefined,
    C_GetSlotList: () => [Buffer.from('slot')],
    C_GetTokenInfo: () => ({ label: 'token' }),
    C_OpenSession: () => {
      if (open.size >= sessionsMax) throw fault(CKR.DEVICE_ERROR)
      const session = Buffer.from('session')
      open.add(session)
      return session
    },
    C_CloseSession: (session: Buffer) => {
      open.delete(session)
    },
    C_Login: () => {
      const code = logins.shift() ?? 0
      if (code !== 0) throw fault(code)
    },
  }
  return {
    open,
    token: openToken(library as unknown as Pkcs11Library, { label: 'token', pin: '1' }),
  }
}

verifies('signer.module-faults', 'a login that fails leaves no session open', async () => {
  const { open, token } = fakeLibrary([0, ...Array(3).fill(CKR.DEVICE_ERROR)])
  let end: (() => void) | undefined
  const running = token.use(
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  await expect.poll(() => end).toBeDefined()
  // The sessions are lost while another turn runs, so that the library is not started again.
  let times = 0
  const other = token.use(async () => {
    times += 1
    throw fault(CKR.SESSION_CLOSED)
  })
  await expect(other).rejects.toMatchObject({ kind: 'unavailable' })
  expect(times).toBe(1)
  expect(open.size).toBe(1)
  end?.()
  await running
  expect(open.size).toBe(0)
  expect(await token.use(async () => 'used')).toBe('used')
  expect(open.size).toBe(4)
})

verifies('signer.module-faults', 'a wrong PIN or too few sessions leave none open', async () => {
  const refused = fakeLibrary([CKR.PIN_INCORRECT])
  await expect(refused.token.use(async () => 'used')).rejects.toThrow('refuses the PIN')
  expect(refused.open.size).toBe(0)
  const few = fakeLibrary([], 2)
  await expect(few.token.use(async () => 'used')).rejects.toMatchObject({ kind: 'unavailable' })
  expect(few.open.size).toBe(0)
  const again = fakeLibrary([CKR.USER_ALREADY_LOGGED_IN])
  expect(await again.token.use(async () => 'used')).toBe('used')
})
