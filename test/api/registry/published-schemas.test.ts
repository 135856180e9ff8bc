import { createHash } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { resultContractVersion } from '#domain/core/contract-sets.ts'
import { rails } from '#domain/rails/index.ts'
import { groupFaults } from '#domain/rails/input/input-faults.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { RunContract } from '#domain/runs/run-contract.ts'
import { returnPackageView } from '../../../activities/runs/isolation/return-package-zip.ts'
import { bodyOf } from '../../../api/calls/handle.ts'
import type { Context } from '../../../api/context.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { schemaIndex, schemaRead } from '../../../api/operations/discovery/documents.ts'
import { publishSchemas } from '../../../api/registry/published-schemas.ts'
import { schemaDocuments } from '../../../api/registry/schema-documents.ts'
import { finishedPackage, finishedTask } from '../../support/finished-task.ts'
import { verifies } from '../../verifies.ts'
import { schemaDigests } from '../schema-digests.ts'

const baseUrl = 'https://rails.example'
const context = {
  discovery: { schemas: publishSchemas(baseUrl, schemaDocuments) },
} as unknown as Context
const read = async (schema_name: string) =>
  bodyOf(schemaRead, await schemaRead.handle({ schema_name }, context)).body
const index = async () => {
  const { body } = bodyOf(schemaIndex, await schemaIndex.handle({}, context))
  return body.schemas
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** What a stranger’s validator says of a value by the document of this name. */
async function faultsOf(name: string, value: unknown): Promise<unknown> {
  const validate =
    ajv.getSchema(`${baseUrl}/schemas/${name}`) ?? ajv.compile((await read(name)) as object)
  return (await validate(JSON.parse(JSON.stringify(value)))) ? [] : validate.errors
}

verifies(
  'schemas.published',
  'the index has the URL and the served digest of each document',
  async () => {
    const entries = await index()
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'agent-manifest.v1.json',
        'callback-event.v1.json',
        'clearing.v1.json',
        'problem.v1.json',
        'receipt.v1.json',
        'replay-package.v1.json',
        'result-contract.v2.json',
        'return-package.v2.json',
        'run-contract.v2.json',
        ...rails.map(({ key }) => `rail-input-${key}.v1.json`),
      ]),
    )
    for (const { name, version, url, sha256 } of entries) {
      const document = await read(name)
      expect(url).toBe(`${baseUrl}/schemas/${name}`)
      expect(document).toMatchObject({
        $id: url,
        $schema: 'https://json-schema.org/draft/2020-12/schema',
      })
      expect(name).toContain(`.${version}.json`)
      expect(createHash('sha256').update(JSON.stringify(document)).digest('hex')).toBe(sha256)
    }
    await expect(read('nothing.v1.json')).rejects.toThrow('not_found')
    await expect(read('constructor')).rejects.toThrow('not_found')
  },
)

verifies(
  'schemas.immutable',
  'what is published under a name is what was published before',
  async () => {
    const digests = (await index()).map(({ name, sha256 }) => [name, sha256])
    expect(Object.fromEntries(digests)).toEqual(schemaDigests)
  },
)

const sha256 = 'a'.repeat(64)
const sealed: RunContract = {
  contract_id: `ct_${sha256}`,
  version: 'v2',
  task_id: `task-${sha256}`,
  rail: 'packetops',
  tier: 'standard',
  usage: 'operational',
  terms_sha256: sha256,
  accepted_by: `agent:agt_${sha256}`,
  input_sha256: sha256,
  review_decision: `dec_${sha256}`,
  payment: { quote_id: `qt_${sha256}`, entitlement_id: `en_${sha256}` },
  result_contract: resultContractVersion,
}

verifies(
  'schemas.published',
  'another validator accepts and refuses what the service does',
  async () => {
    for (const { key, sandboxInput } of rails) {
      const name = `rail-input-${key}.v1.json`
      expect(await faultsOf(name, sandboxInput), name).toEqual([])
      expect(await faultsOf(name, { ...(sandboxInput as object), surplus: 1 }), name).not.toEqual(
        [],
      )
    }
    const { made, signature } = await finishedPackage(packetops)
    const view = returnPackageView(made, signature, {
      settlement_receipt_id: null,
      usage_receipt_id: null,
    })
    expect(await faultsOf('return-package.v2.json', view)).toEqual([])
    expect(await faultsOf('return-package.v2.json', { ...view, proof_hash: 'x' })).not.toEqual([])
    expect(await faultsOf('result-contract.v2.json', view.result_contract)).toEqual([])
    expect(await faultsOf('replay-package.v1.json', await finishedTask(packetops))).toEqual([])
    expect(
      await faultsOf('replay-package.v1.json', { ...(await finishedTask(packetops)), jws: 1 }),
    ).not.toEqual([])
    const cleared = exampleOf({ id: 'clearing-run' }).output
    expect(await faultsOf('clearing.v1.json', cleared)).toEqual([])
    const { obligation_object: _owed, ...rest } = cleared
    expect(await faultsOf('clearing.v1.json', rest)).not.toEqual([])
    expect(await faultsOf('run-contract.v2.json', sealed)).toEqual([])
    expect(await faultsOf('run-contract.v2.json', { ...sealed, version: 'v1' })).not.toEqual([])
    const problem = {
      type: `${baseUrl}/problems/not_found`,
      title: 'Not found',
      status: 404,
      code: 'not_found',
      detail: 'd',
      retryable: false,
      retry_after_ms: null,
      money_moved: 'no',
      next_action: 'n',
      errors: [],
      request_id: 'req_1',
      trace_id: '1f'.repeat(16),
    }
    expect(await faultsOf('problem.v1.json', problem)).toEqual([])
    expect(await faultsOf('problem.v1.json', { ...problem, code: 'nothing' })).not.toEqual([])
    const unread = readInput(packetops, { ...packetops.sandboxInput, title: 7, surplus: 1 })
    const faults = groupFaults('faults' in unread ? unread.faults : [])
    expect(await faultsOf('problem.v1.json', { ...problem, faults })).toEqual([])
    const unnamed = { ...faults, groups: [{ ...faults.groups[0], kind: 'odd' }] }
    expect(await faultsOf('problem.v1.json', { ...problem, faults: unnamed })).not.toEqual([])
  },
)
