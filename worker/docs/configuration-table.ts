import { configSchema } from '../../activities/config/config.ts'
import { moduleSettings } from '../../activities/config/signer-settings.ts'

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

/** The document with what stands between `<!-- begin: name -->` and `<!-- end: name -->` replaced; throws when a marker is missing. */
export function betweenMarkers(document: string, name: string, text: string): string {
  const begin = `<!-- begin: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const [before, rest] = split(document, begin)
  const [, after] = split(rest, end)
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}

function split(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`the document lacks ${marker}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}
