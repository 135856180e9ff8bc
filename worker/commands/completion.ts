import { Argument, type Command } from 'commander'
import { type Output, show } from '../print.ts'
import { jsonOption } from './by-operator.ts'
import { bashScript, fishScript, zshScript } from './completion-scripts.ts'
import { wordsOf } from './completion-words.ts'

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
