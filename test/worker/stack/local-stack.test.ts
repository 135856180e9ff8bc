import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadStackSettings } from '../../../activities/config/stack-settings.ts'
import { newDemoAccounts, serviceAccounts } from '../../../worker/stack/accounts.ts'
import { lockInstance } from '../../../worker/stack/instance-lock.ts'
import { refuseRealValue } from '../../../worker/stack/local-chain.ts'
import { choosePorts, findFree } from '../../../worker/stack/ports.ts'
import { verifies } from '../../verifies.ts'

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'agent-rails-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const TOKEN = '0x00000000000000000000000000000000000070c3'

verifies(
  'stack.secrets',
  'the keys of the local chain are kept with mode 0600 and found again',
  async () => {
    const made = await serviceAccounts(scratch)
    expect(await serviceAccounts(scratch)).toEqual(made)
    expect((await stat(join(scratch, 'keys', 'chain-accounts.json'))).mode & 0o777).toBe(0o600)
  },
)

verifies(
  'local.worthless-signatures',
  'accounts of the published mnemonic and equal accounts are refused',
  async () => {
    const service = await serviceAccounts(scratch)
    expect(() => refuseRealValue(TOKEN, service, newDemoAccounts())).not.toThrow()
    const published = mnemonicToAccount(
      'test test test test test test test test test test test junk',
      {
        addressIndex: 7,
      },
    )
    const demo = newDemoAccounts()
    const anvil = { address: published.address, private_key: '0x00' as const }
    expect(() => refuseRealValue(TOKEN, service, { ...demo, agents: [anvil] })).toThrow(
      /published mnemonic/,
    )
    expect(() => refuseRealValue(TOKEN, service, { ...demo, agents: [service.payTo] })).toThrow(
      /same address/,
    )
  },
)

verifies(
  'local.worthless-signatures',
  'the token is never at the address of USD Coin on Base',
  async () => {
    const service = await serviceAccounts(scratch)
    const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
    expect(() => refuseRealValue(usdc, service, newDemoAccounts())).toThrow(/known asset/)
  },
)

test('PORT_BASE fixes six ports in a row and a taken one is named', async () => {
  const [start = 0] = await findFree(1)
  const base = Math.min(start, 60_000)
  const ports = await choosePorts(base).catch(() => undefined)
  if (ports !== undefined) {
    expect(ports).toEqual({
      base,
      os: base + 1,
      temporalUi: base + 2,
      temporal: base + 3,
      postgres: base + 4,
      rpc: base + 5,
    })
  }
  const server = createServer().listen(base + 1, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  await expect(choosePorts(base)).rejects.toThrow(`port ${base + 1} (os) is taken`)
  await new Promise((resolve) => server.close(resolve))
})

verifies(
  'stack.second-start',
  'a second stack on the same data is refused while the first one lives',
  async () => {
    const file = join(scratch, 'stack.pid')
    await writeFile(file, String(process.ppid))
    expect(() => lockInstance(file)).toThrow(
      `a stack already runs on ${scratch} (process ${process.ppid})`,
    )
    await writeFile(file, '4194304')
    lockInstance(file)()
    await expect(stat(file)).rejects.toThrow()
  },
)

test('the stack’s settings have defaults and refuse a wrong PORT_BASE', () => {
  expect(loadStackSettings({})).toMatchObject({ DATA_DIR: '.data', XDG_CACHE_HOME: '' })
  expect(() => loadStackSettings({ PORT_BASE: 'here' })).toThrow(/PORT_BASE/)
})
