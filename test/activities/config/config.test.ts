import { expect } from 'vitest'
import { loadConfig, loadDatabaseUrl } from '../../../activities/config/config.ts'
import { loadSignerConfig } from '../../../activities/config/signer-config.ts'
import { verifies } from '../../verifies.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const environment = {
  ASSET_CONTRACT_ADDRESS: address('a'),
  PAYOUT_WALLET_ADDRESS: address('1'),
  PAY_TO_ADDRESS: address('2'),
  TREASURY_PRINCIPAL_ADDRESS: address('3'),
  TREASURY_HOLDER_ADDRESS: address('4'),
}
const live = {
  ENVIRONMENT: 'live',
  REAL_FUNDS: 'enabled',
  BASE_URL: 'https://svc.example',
  OS_URL: 'https://os.svc.example',
  CHAIN_RPC_URL: 'https://rpc.example',
  CONFIRM_RPC_URL: 'https://other-rpc.example',
  CONFIRMATIONS: '5',
  SIGNER_SOCKET: '/run/agent-rails/keys.sock',
  CAGE_SOCKET: '/run/agent-rails/cage.sock',
}

verifies('live.depth', 'live needs block depth and a second node of another provider', () => {
  const all = { ...environment, ...live }
  expect(loadConfig(all).CONFIRMATIONS).toBe(5)
  expect(() => loadConfig({ ...all, CONFIRMATIONS: '4' })).toThrow(/CONFIRMATIONS/)
  for (const same of ['', 'https://rpc.example'])
    expect(() => loadConfig({ ...all, CONFIRM_RPC_URL: same }), same).toThrow(/CONFIRM_RPC_URL/)
})

verifies(
  'local.refuses-real-funds',
  'the live environment needs REAL_FUNDS=enabled as well',
  () => {
    expect(loadConfig(environment).ENVIRONMENT).toBe('local')
    expect(() => loadConfig({ ...environment, ENVIRONMENT: 'live' })).toThrow(/REAL_FUNDS/)
    expect(() => loadConfig({ ...environment, ENVIRONMENT: 'live', REAL_FUNDS: 'yes' })).toThrow(
      /REAL_FUNDS/,
    )
    expect(loadConfig({ ...environment, ...live }).ENVIRONMENT).toBe('live')
  },
)

verifies('signer.process', 'live refuses key files outside the signer, and none of its own', () => {
  const all = { ...environment, ...live }
  for (const name of ['SIGNING_KEYS_FILE', 'PAYOUT_WALLET_KEY_FILE', 'GAS_WALLET_KEYS_FILE']) {
    const named = { [name]: '/keys/file.json' }
    expect(() => loadConfig({ ...all, ...named }), name).toThrow(`and remove ${name}`)
    expect(loadConfig({ ...environment, ...named }).ENVIRONMENT).toBe('local')
  }
  expect(() => loadConfig({ ...all, SIGNER_SOCKET: '' })).toThrow('set SIGNER_SOCKET')
  expect(() => loadConfig({ ...all, CAGE_SOCKET: '' })).toThrow('set CAGE_SOCKET')
  const files = { SIGNING_KEYS_FILE: '/keys/file.json', SIGNER_FEE_MAX_WEI: '5' }
  expect(loadSignerConfig({ ...environment, ...files })).toMatchObject({
    SIGNING_KEYS_FILE: '/keys/file.json',
    SIGNER_FEE_MAX_WEI: 5n,
    SIGNER_PAYOUT_MAX_ATOMIC: 25_000_000n,
  })
  expect(loadSignerConfig(environment)).not.toHaveProperty('DATABASE_URL')
  for (const beyond of ['SIGNER_PAYOUT_MAX_ATOMIC', 'SIGNER_DAILY_CAP_ATOMIC'])
    expect(() => loadSignerConfig({ ...environment, [beyond]: '100000001' })).toThrow(beyond)
})

verifies('keys.live-https', 'live needs https for origins, RPC and the issuer of operators', () => {
  for (const name of [
    'BASE_URL',
    'OS_URL',
    'CHAIN_RPC_URL',
    'CONFIRM_RPC_URL',
    'OPERATOR_OIDC_ISSUER',
  ]) {
    const plain = { [name]: 'http://svc.example' }
    expect(() => loadConfig({ ...environment, ...live, ...plain }), name).toThrow(
      `${name} must be https`,
    )
    expect(loadConfig({ ...environment, ...plain }).ENVIRONMENT).toBe('local')
  }
})

verifies(
  'local.refuses-real-funds',
  'payout wallet, pay-to, principal and holder are different addresses',
  () => {
    const roles = [
      'PAYOUT_WALLET_ADDRESS',
      'PAY_TO_ADDRESS',
      'TREASURY_PRINCIPAL_ADDRESS',
      'TREASURY_HOLDER_ADDRESS',
    ]
    const pairs = roles.flatMap((one, at) =>
      roles.slice(at + 1).map((other) => [one, other] as const),
    )
    expect(pairs).toHaveLength(6)
    for (const [one, other] of pairs) {
      const same = { [one]: `0x${'ab'.repeat(20)}`, [other]: `0x${'AB'.repeat(20)}` }
      expect(() => loadConfig({ ...environment, ...same }), `${one} ${other}`).toThrow(
        /different addresses/,
      )
    }
  },
)

verifies(
  'outgoing.allow-list',
  'exempt hosts of outgoing HTTP are origins and forbidden in live',
  () => {
    const hosts = 'https://localhost:8443, http://127.0.0.1:3000'
    expect(
      loadConfig({ ...environment, CALLBACK_ALLOW_HOSTS: hosts }).CALLBACK_ALLOW_HOSTS,
    ).toEqual(hosts.split(', '))
    for (const faulty of ['localhost', 'https://localhost/hook', 'ftp://localhost'])
      expect(() => loadConfig({ ...environment, CALLBACK_ALLOW_HOSTS: faulty }), faulty).toThrow(
        /CALLBACK_ALLOW_HOSTS/,
      )
    expect(() => loadConfig({ ...environment, ...live, CALLBACK_ALLOW_HOSTS: hosts })).toThrow(
      /CALLBACK_ALLOW_HOSTS/,
    )
  },
)

verifies('local.refuses-real-funds', 'a faulty setting is named', () => {
  expect(() => loadConfig({ ...environment, PAY_TO_ADDRESS: 'unknown' })).toThrow(/PAY_TO_ADDRESS/)
  expect(loadDatabaseUrl({ DATABASE_URL: 'postgres://x/y' })).toBe('postgres://x/y')
})
