import { readFileSync } from 'node:fs'
import type { Form, FormRows } from '#domain/rails/form.ts'
import { xmlTree } from '../../../../../activities/runs/extract/xml.ts'

const folder = new URL('files/', import.meta.url)
export const fileText = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

/** What a form of XML or text reads. */
export function readBy(form: Form, text: string): FormRows | undefined {
  if (form.kind === 'xml') return form.read(xmlTree(Buffer.from(text)))
  if (form.kind === 'text') return form.read(text)
  throw new Error(`${form.name} is a ${form.kind}`)
}
