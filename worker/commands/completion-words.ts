import type { Command } from 'commander'

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
