import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../verifies.ts'
import { read, root } from './pictures.ts'

const pages = ['', 'docs', 'docs/reference'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
)

verifies('docs.links', 'every relative link, picture and heading of the documents exists', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !resolves(page, link))
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

verifies('docs.links', 'every file and folder that the documents name exists', () => {
  const named = pages.flatMap((page) => pathsIn(page).map((path) => ({ page, path })))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
})

verifies('docs.links', 'every npm script that the documents name is one', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
  )
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([])
})

const withoutCode = (page: string): string => read(page).replace(/```[\s\S]*?```/g, '')

function linksOf(page: string): string[] {
  const links = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => !/^[a-z]+:/.test(link))
}

function resolves(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, file))) return false
  return (
    heading === undefined ||
    [...read(file).matchAll(/^#+ (.*)$/gm)].some(([, text = '']) => anchor(text) === heading)
  )
}

const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

function pathsIn(page: string): string[] {
  const spans = [...withoutCode(page).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return spans.filter((span) =>
    /^(workflows|activities|temporal|api|worker|test|docs)\/[\w./-]*$/.test(span),
  )
}
