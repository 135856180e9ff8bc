import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { runCli } from '../support/cli.ts'
import { verifies } from '../verifies.ts'

let folder: string
let script: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-rails-completion-'))
  script = (await runCli(process.env, 'completion', 'bash')).out
  writeFileSync(join(folder, 'completion'), script)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What bash offers after these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const typed = ['agent-rails', ...words]
  const lines = [
    `source ${join(folder, 'completion')}`,
    `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${words.length}`,
    '_agent_rails',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ]
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', lines.join('\n')])
  return stdout.split('\n').filter((word) => word !== '')
}

verifies('cli.completion', 'bash completes commands, options and their values', async () => {
  expect(await offered('rev')).toEqual(['review'])
  expect(await offered('agents', 'l')).toEqual(['list', 'limits'])
  expect(await offered('review', 'approve', '--wh')).toEqual(['--where'])
  expect(await offered('review', 'list', '--kind', 'lo')).toEqual(['loop_step'])
  expect(await offered('review', 'list', '--kind', 'agent', '--li')).toEqual(['--limit'])
  expect(await offered('review', 'show', 'run_1', '--pa')).toEqual(['--part'])
  expect(await offered('pause', 'pay')).toEqual(['payouts', 'payout'])
  expect(await offered('agents', 'pause', 'agt_1', '--no')).toEqual(['--note'])
  expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(await offered('review', 'list', '--rail', '')).toEqual([])
  expect(await offered('wit')).toEqual(['witness'])
  expect(await offered('audit', '--witness-')).toEqual(['--witness-key'])
  expect(await offered('unknown', 'rev')).toEqual(['review'])
})

verifies('cli.completion', 'each shell has a script, and an unknown one is refused', async () => {
  expect((await runCli(process.env, 'completion', 'zsh')).out).toContain('bashcompinit')
  expect((await runCli(process.env, 'completion', 'fish')).out).toContain(
    "complete -c agent-rails -n '__agent_rails_at review' -a 'list' -d 'everything that waits, oldest first'",
  )
  const unknown = await runCli(process.env, 'completion', 'tcsh')
  expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('bash, zsh, fish') })
})

verifies('cli.json', 'every command prints JSON where it is asked to', () => {
  const options = new Map(
    [...script.matchAll(/^ {4}'([a-z -]*) -'\) echo '(.*)' ;;$/gm)].map(
      ([, path = '', flags = '']) => [path, flags.split(' ')] as const,
    ),
  )
  const isGroup = (path: string) =>
    path === '' || [...options.keys()].some((other) => other.startsWith(`${path} `))
  // The demo is for people to watch.
  const commands = [...options.keys()].filter((path) => path !== 'demo' && !isGroup(path))
  expect(commands.length).toBeGreaterThan(40)
  for (const path of commands) expect(options.get(path), path).toContain('--json')
})
