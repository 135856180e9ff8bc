import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { exampleOf } from '../../../api/examples/index.ts'
import { fieldsOf, requestFieldsOf } from '../../../api/http/pages/reference/fields.ts'
import { searchDocuments } from '../../../api/http/pages/reference/reference.ts'
import { samplesOf } from '../../../api/http/pages/reference/samples.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
const sampled = (language: string) =>
  registry.map((operation) => ({
    id: operation.id,
    code: samplesOf(operation, urls).find((sample) => sample.language === language)?.code ?? '',
  }))

verifies('pages.reference', 'every field of a request says what it means', () => {
  const silent = registry.flatMap((operation) =>
    requestFieldsOf(operation)
      .filter(({ described }) => !described)
      .map(({ name }) => `${operation.id} ${name}`),
  )
  expect(silent).toEqual([])
})

verifies('pages.reference', 'a field says what it means in its own operation', () => {
  const meaning = (id: string, name: string) =>
    registry
      .filter((operation) => operation.id === id)
      .flatMap((operation) => requestFieldsOf(operation))
      .find((field) => field.name === name)?.notes[0]
  // A payout moves its money whatever its label; a run that is synthetic costs none.
  expect(meaning('payout-create', 'usage')).toMatch(/synthetic payout moves its amount/)
  expect(meaning('start-agent-run', 'usage')).toMatch(/without money/)
  expect(meaning('allowance-wallet-create', 'label')).toMatch(/wallet/)
  expect(meaning('create-prospect', 'label')).toMatch(/prospect/)
  const criteria = 'acceptance_criteria'
  expect(meaning('customer-workflow-create', criteria)).not.toMatch(/unless given/)
  expect(meaning('contract-prepare', criteria)).toMatch(/unless given/)
})

verifies('pages.reference', 'fields of lists, references and alternatives are listed', () => {
  const fields = (id: string) =>
    registry
      .filter((operation) => operation.id === id)
      .flatMap(({ input, output }) => [...fieldsOf(input, 'input'), ...fieldsOf(output, 'output')])
      .map(({ name }) => name)
  expect(fields('preflight')).toEqual(
    expect.arrayContaining(['input_manifest[].sha256', 'task.state', 'checks[].ok']),
  )
  expect(fields('work-order-create')).toEqual(
    expect.arrayContaining(['requester.name', 'requester.agent_id']),
  )
  expect(fields('agent-status')).toEqual(
    expect.arrayContaining(['credential.claimable', 'work_order.state']),
  )
})

verifies('pages.reference', 'no limit is a number that only a machine reads', () => {
  const notes = registry.flatMap((operation) => [
    ...requestFieldsOf(operation),
    ...fieldsOf(operation.output, 'output'),
  ])
  expect(notes.flatMap((field) => field.notes).join('\n')).not.toMatch(/9007199254740991/)
})

verifies('reference.examples', 'the samples in Python are programs', () => {
  const check =
    'import json, sys\nfor s in json.load(sys.stdin): compile(s["code"], s["id"], "exec")'
  execFileSync('python3', ['-c', check], { input: JSON.stringify(sampled('Python')) })
})

verifies('reference.examples', 'the samples in curl are commands of the shell', () => {
  for (const { id, code } of sampled('curl')) {
    execFileSync('sh', ['-n'], { input: code })
    expect(code, id).toMatch(/^(printf %s '[^']*' > body\.txt\n)?curl -s /)
  }
})

verifies('reference.examples', 'a body in curl is the example, byte by byte', () => {
  const create = sampled('curl').find(({ id }) => id === 'work-order-create')?.code ?? ''
  const printed = create.replace(/^curl .*?-d /s, 'printf %s ')
  const body = execFileSync('sh', ['-c', printed], { encoding: 'utf8' })
  const example = exampleOf({ id: 'work-order-create' })
  expect(JSON.parse(body)).toEqual(example.input)
})

verifies('pages.reference', 'the search knows the operations of both hosts', () => {
  const facts = { registry, urls, environment: 'local' as const }
  const documents = searchDocuments({ ...facts, host: 'base' }) as { id: string; at?: string }[]
  expect(documents).toHaveLength(registry.length)
  const at = (id: string) => documents.find((one) => one.id === id)?.at
  expect(at('preflight')).toBe('https://os.example/docs/preflight')
  expect(at('payout-create')).toBeUndefined()
  expect(at('healthz')).toBeUndefined()
})
