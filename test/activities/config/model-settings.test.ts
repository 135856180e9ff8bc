import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { loadConfig } from '../../../activities/config/config.ts'
import { modelNamed, readModelKey } from '../../../activities/config/model-settings.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const environment = {
  ASSET_CONTRACT_ADDRESS: address('1'),
  PAYOUT_WALLET_ADDRESS: address('2'),
  PAY_TO_ADDRESS: address('3'),
  TREASURY_PRINCIPAL_ADDRESS: address('4'),
  TREASURY_HOLDER_ADDRESS: address('5'),
}
const load = (more: NodeJS.ProcessEnv) => loadConfig({ ...environment, ...more })

verifies('model.settings', 'no model is the default, and one needs a URL and a name', () => {
  expect(modelNamed(load({}))).toBeNull()
  const named = load({ MODEL_URL: 'https://models.example/v1', MODEL_NAME: 'small-1' })
  expect(modelNamed(named)).toBe('small-1 at models.example')
  expect(named.MODEL_PRIVATE_ADDRESS).toBe('refused')
  for (const MODEL_URL of [
    'https://models.example/v1/',
    'https://user:secret@models.example/v1',
    'https://models.example/v1?key=secret',
    'ftp://models.example/v1',
  ])
    expect(() => load({ MODEL_URL, MODEL_NAME: 'small-1' })).toThrow(/MODEL_URL/)
  expect(() => load({ MODEL_URL: 'https://models.example/v1' })).toThrow('needs MODEL_NAME')
})

verifies('model.settings', 'a faulty key file is named, and never quoted', async () => {
  const path = join(await scratchDirectory(), 'model-key.json')
  writeFileSync(path, '"sk-1234567890"\n')
  expect(readModelKey(path)).toBe('sk-1234567890')
  expect(readModelKey('')).toBeUndefined()
  for (const text of ['sk-1234567890', '"sk 1234567890"', '""', '["sk-1234567890"]']) {
    writeFileSync(path, text)
    expect(() => readModelKey(path)).toThrow(path)
    expect(() => readModelKey(path)).not.toThrow(/1234567890/)
  }
})
