import { Argument, type Command } from 'commander'
import { type Output, show } from '../print.ts'
import { jsonOption } from './by-operator.ts'

/** What can follow a command: its subcommands or the choices of its arguments, its options, and the choices of each option. */
export type Words = {
  /** The names of the command without the program, such as `review show`. */
  readonly path: string
  readonly next: readonly { name: string; about: string }[]
  readonly options: readonly { flags: readonly string[]; about: string; takes: Takes }[]
  /** Whether a file or a free text may follow, and not only `next`. */
  readonly free: boolean
}
/** The values of an option: none, one of these, or any text. */
type Takes = 'nothing' | 'text' | readonly string[]

/** Every command of a program with what can follow it. */
export function wordsOf(program: Command, path: readonly string[] = []): Words[] {
  const under = program.commands.flatMap((command) =>
    [command.name(), ...command.aliases()].flatMap((name) => wordsOf(command, [...path, name])),
  )
  const commands = program.commands.flatMap((command) =>
    [command.name(), ...command.aliases()].map((name) => ({ name, about: command.description() })),
  )
  const choices = program.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const options = program.options.map((option) => ({
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    about: option.description,
    takes: takesOf(option),
  }))
  const help = { flags: ['--help'], about: 'show the help', takes: 'nothing' as const }
  const words = {
    path: path.join(' '),
    next: [...commands, ...choices.map((name) => ({ name, about: '' }))],
    options: [...options, help],
    free: commands.length === 0 && choices.length === 0,
  }
  return [words, ...under]
}

function takesOf(option: Command['options'][number]): Takes {
  if (option.argChoices !== undefined) return option.argChoices
  return option.required || option.optional ? 'text' : 'nothing'
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const flagsOf = ({ options }: Words): string[] => options.flatMap(({ flags }) => flags)
const firstLine = (text: string): string => text.split('\n')[0] ?? ''

/** The words after each command, and the values of each option, as branches of `case`. */
function branches(words: readonly Words[]): string {
  const after = words.map(
    (one) =>
      `    ${quoted(one.path)}) echo ${quoted(one.next.map(({ name }) => name).join(' '))} ;;`,
  )
  const options = words.map(
    (one) => `    ${quoted(`${one.path} -`)}) echo ${quoted(flagsOf(one).join(' '))} ;;`,
  )
  const values = words.flatMap((one) =>
    one.options.flatMap(({ flags, takes }) =>
      flags.flatMap((flag) => {
        if (takes === 'nothing') return []
        const known = takes === 'text' ? '' : takes.join(' ')
        return [`    ${quoted(`${one.path} ${flag}`)}) echo ${quoted(known)} ;;`]
      }),
    ),
  )
  return [...after, ...options, ...values, '    *) return 1 ;;'].join('\n')
}

/** The completion of bash. Where nothing is known, bash completes the names of files. */
export function bashScript(words: readonly Words[]): string {
  return `# Completion of agent-rails for bash: source <(agent-rails completion bash)
_agent_rails_words() {
  case "$1" in
${branches(words)}
  esac
}
_agent_rails() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local at="" index word known
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    known=" $(_agent_rails_words "$at") "
    if [[ "$word" != -* && "$known" == *" $word "* ]] && _agent_rails_words "\${at:+$at }$word" >/dev/null; then
      at="\${at:+$at }$word"
    fi
  done
  COMPREPLY=()
  if [[ "$before" == -* ]] && known="$(_agent_rails_words "$at $before")"; then
    COMPREPLY=($(compgen -W "$known" -- "$current"))
  elif [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$(_agent_rails_words "$at -")" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(_agent_rails_words "$at")" -- "$current"))
  fi
}
complete -o default -F _agent_rails agent-rails`
}

/** The completion of zsh, by its own emulation of the one of bash. */
export function zshScript(words: readonly Words[]): string {
  return `#compdef agent-rails
# Completion of agent-rails for zsh: source <(agent-rails completion zsh)
(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }
autoload -U +X bashcompinit && bashcompinit
${bashScript(words)}`
}

/** The completion of fish. */
export function fishScript(words: readonly Words[]): string {
  const lines = words.flatMap((one) => {
    const here = `-n ${quoted(`__agent_rails_at ${one.path}`)}`
    const only = one.free ? [] : [`complete -c agent-rails -f ${here}`]
    const next = one.next.map(
      ({ name, about }) =>
        `complete -c agent-rails ${here} -a ${quoted(name)} -d ${quoted(firstLine(about))}`,
    )
    const options = one.options.map(({ flags, about, takes }) => {
      const long = flags.map((flag) => `-l ${flag.replace(/^-+/, '')}`).join(' ')
      const known = typeof takes === 'string' ? '' : ` -xa ${quoted(takes.join(' '))}`
      const value = takes === 'text' ? ' -r' : known
      return `complete -c agent-rails ${here} ${long}${value} -d ${quoted(firstLine(about))}`
    })
    return [...only, ...next, ...options]
  })
  const paths = words.map(({ path }) => quoted(path)).join(' ')
  return `# Completion of agent-rails for fish: agent-rails completion fish | source
set -g __agent_rails_paths ${paths}
function __agent_rails_at
  set -l at
  for word in (commandline -opc)[2..-1]
    contains -- (string join ' ' $at $word) $__agent_rails_paths; and set -a at $word
  end
  test "$(string join ' ' $at)" = "$(string join ' ' $argv)"
end
${lines.join('\n')}`
}

const shells = ['bash', 'zsh', 'fish'] as const
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** `agent-rails completion SHELL`: a static script, made of the commands themselves, so that Tab starts no process. */
export function addCompletion(program: Command): void {
  jsonOption(program.command('completion'))
    .description('print the script that completes commands, options and their values')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', '\nFor bash: source <(agent-rails completion bash)')
    .action((shell: (typeof shells)[number], options: Output) =>
      show(options, { shell, script: scripts[shell](wordsOf(program)) }, ({ script }) => script),
    )
}
