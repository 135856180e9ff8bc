import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'

const directory = join(import.meta.dirname, '..', '..', 'temporal', 'histories')
const SUFFIX = '.json.gz'

export type TemporalServer = { readonly address: string; readonly binary: string }

export function historyNames(): string[] {
  return readdirSync(directory).map((file) => file.slice(0, -SUFFIX.length))
}

export function readHistory(name: string): unknown {
  const packed = readFileSync(join(directory, name + SUFFIX))
  return JSON.parse(gunzipSync(packed).toString('utf8'))
}

/** Saves the history of a workflow, as the server's command line prints it. */
export async function saveHistory(
  { address, binary }: TemporalServer,
  workflowId: string,
  name: string,
): Promise<void> {
  const command = ['workflow', 'show', '--output', 'json']
  const options = ['--workflow-id', workflowId, '--address', address]
  const { stdout } = await promisify(execFile)(binary, command.concat(options), {
    maxBuffer: 1 << 26,
  })
  const packed = gzipSync(JSON.stringify(JSON.parse(stdout)), { level: 9 })
  writeFileSync(join(directory, name + SUFFIX), packed)
}
