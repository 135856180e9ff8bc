import { createHash } from 'node:crypto'
import { type JsonFault, readJson } from '#domain/core/json-text.ts'
import type { Candidate } from '#domain/resolver/candidate.ts'
import type { ReadDocument } from '#domain/resolver/inspection.ts'
import type { Outgoing, SendOutgoing } from './outgoing.ts'

/** A list of tools in the form of MCP; no tool is called. */
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

/** Reads what is published at the URL of a service, as JSON; without any credential, and by one request. */
export async function readDocument(
  send: SendOutgoing,
  { url, protocols }: Pick<Candidate, 'url' | 'protocols'>,
): Promise<(ReadDocument & { text: string }) | { unread: string }> {
  const answer = protocols.includes('mcp')
    ? await send({
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
        },
        body: listTools,
      })
    : await send({ url, method: 'GET', headers: { accept: 'application/json' } })
  return readAnswer(answer)
}

function readAnswer(answer: Outgoing): (ReadDocument & { text: string }) | { unread: string } {
  if (!answer.ok) return { unread: answer.reason }
  const { status, body, type = '', encoding = 'identity' } = answer
  if (status !== 200) return { unread: `status ${status}` }
  if (encoding !== 'identity') return { unread: 'the answer is compressed' }
  const media_type = type.split(';')[0]?.trim().toLowerCase() ?? ''
  const isEvents = media_type === 'text/event-stream'
  if (!isEvents && !/^application\/(?:[a-z0-9.-]{1,60}\+)?json$/.test(media_type))
    return { unread: 'the media type is not one of JSON' }
  const json = isEvents ? dataOf(body) : body
  const read = readJson(json)
  if ('fault' in read) return { unread: unreadFor[read.fault] }
  return { ...read, media_type, sha256: digestOfBytes(body), bytes: body.length }
}

const unreadFor: Record<JsonFault, string> = {
  too_deep: 'the JSON nests too deep',
  name_twice: 'its JSON names a member twice',
  not_json: 'it is not UTF-8 JSON',
}

/** The data of the first event. */
function dataOf(body: Buffer): Buffer {
  const [event = ''] = body.toString('latin1').split(/\r?\n\r?\n/)
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return Buffer.from(lines.map((line) => line.slice('data:'.length)).join('\n'), 'latin1')
}

const digestOfBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
