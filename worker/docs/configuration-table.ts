import { configSchema } from '../../activities/config/config.ts'
import { moduleSettings } from '../../activities/config/module-settings.ts'

/** The configuration reference as a Markdown table: every setting of every process with its default and its meaning. */
export function configurationTable(): string {
  const rows = Object.entries({ ...configSchema.shape, ...moduleSettings }).map(
    ([name, setting]) => {
      const { description } = setting
      if (description === undefined) throw new Error(`the setting ${name} has no description`)
      return `| \`${name}\` | ${defaultOf(setting.safeParse(undefined))} | ${description.replaceAll('|', '\\|')} |`
    },
  )
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

function defaultOf(parsed: { success: boolean; data?: unknown }): string {
  if (!parsed.success) return '**required**'
  const { data } = parsed
  const text =
    typeof data === 'object' && data !== null && !Array.isArray(data)
      ? Object.values(data).join('/')
      : String(data)
  return text === '' ? 'empty' : `\`${text}\``
}
