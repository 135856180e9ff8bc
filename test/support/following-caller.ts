import { execFile } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { z } from 'zod'
import type { StartHere } from '../../api/shapes/start-here.ts'

type Step = z.output<typeof StartHere>['steps'][number]
export type Json = Record<string, unknown>

const at = (value: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .split('/')
    .reduce((inner, part) => (inner as Json)[part], value)

/** An agent that knows a discovery document alone. It makes what that leaves open: keys, idempotency keys and the signature of the handshake. */
export function openCaller() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const answers = new Map<string, Json>()
  const signed = (lines: readonly string[]) =>
    sign(null, Buffer.from(lines.join('\n')), privateKey).toString('base64url')
  const own = (name: string, body: Json): unknown => {
    if (name === 'public_key') {
      const { kty, crv, x } = publicKey.export({ format: 'jwk' })
      return { kty, crv, x }
    }
    if (name !== 'signature') return crypto.randomUUID()
    if (body['terms_sha256'] !== undefined)
      return signed([
        'service-agent-acceptance-v1',
        `contract-id: ${at(answers.get('contract-prepare'), '/contract/contract_id')}`,
        `terms-sha256: ${body['terms_sha256']}`,
      ])
    const token = String(answers.get('agent-register')?.['status_token'])
    const values: Json = {
      '<nonce>': body['nonce'],
      '<SHA-256 of the status token, 64 hex>': createHash('sha256').update(token).digest('hex'),
    }
    const lines = (at(answers.get('handshake-read'), '/text') as string[]).map((line) =>
      line.replace(/<.*>/, (place) => String(values[place])),
    )
    return signed(lines)
  }
  /** The values that the document leaves open, by place and name. */
  const valuesOf = ({ example_body, replace }: Step) => {
    const body: Json = { ...example_body }
    return replace.map(({ place, name, from, pointer }) => {
      const value = from === null ? own(name, body) : at(answers.get(from), pointer ?? '')
      if (place === 'body') body[name] = value
      return { place, name, value }
    })
  }
  const answered = (operationId: string, isOk: boolean, answer: Json): Json => {
    expect(isOk, `${operationId}: ${JSON.stringify(answer)}`).toBe(true)
    answers.set(operationId, answer)
    return answer
  }
  return {
    answers,
    /** Makes the call as the document describes it. */
    follow: async (step: Step): Promise<Json> => {
      const headers: Record<string, string> = { 'content-type': 'application/json' }
      const body: Json = { ...step.example_body }
      let url = step.url
      for (const { place, name, value } of valuesOf(step)) {
        if (place === 'body') body[name] = value
        else if (place === 'path') url = url.replace(`{${name}}`, String(value))
        else headers[name] = name === 'Authorization' ? `Bearer ${value}` : String(value)
      }
      const sent = step.example_body === null ? {} : { body: JSON.stringify(body) }
      const response = await fetch(url, { method: step.method, headers, ...sent })
      return answered(step.operation_id, response.ok, (await response.json()) as Json)
    },
    /** Makes the call by pasting its `curl` into a shell. */
    paste: async (call: Step & { curl: string }): Promise<Json> => {
      const variables = valuesOf(call).map(({ name, value }) => [
        name.toUpperCase().replaceAll('-', '_'),
        typeof value === 'string' ? value : JSON.stringify(value),
      ])
      const env = { PATH: process.env['PATH'], ...Object.fromEntries(variables) }
      const { stdout } = await promisify(execFile)('sh', ['-c', call.curl], { env })
      const answer = JSON.parse(stdout) as Json
      return answered(call.operation_id, answer['code'] === undefined, answer)
    },
  }
}

export const isOver = ({ run }: Json): boolean => (run as { state: string }).state === 'closed'
