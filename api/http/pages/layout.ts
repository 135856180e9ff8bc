import { type Html, html } from '#domain/core/html.ts'

const links: readonly (readonly [path: string, name: string])[] = [
  ['/', 'Overview'],
  ['/#first-agent', 'Start'],
  ['/docs', 'API reference'],
  ['/console', 'Console'],
  ['/verify', 'Verify'],
  ['/problems', 'Problems'],
]

/**
 * One page: its title and path, its content, and what it loads in addition to the shared stylesheet; `frame` is the class of its
 * main part. `host` is the address of the public host, for pages of another one.
 */
export type Page = {
  readonly title: string
  readonly path: string
  readonly body: Html
  readonly head: Html
  readonly frame: 'page' | 'reference page'
  readonly host?: string
}

/** A whole document with a skip link and the same links on top of each page. */
export function documentOf({ title, path, body, head, frame, host = '' }: Page): string {
  const navigation = links.map(
    ([to, name]) =>
      html`<a href="${to === '/docs' ? to : host + to}"${to === path ? html` aria-current="page"` : ''}>${name}</a>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/pages/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages/pages.css">
${head}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a class="brand" href="${host}/">agent-rails</a><nav aria-label="Pages">${navigation}</nav></header>
<main id="content" class="${frame}">
${body}
</main>
</body>
</html>
`.markup
}

/** A page of prose, tables and code to copy. */
export function pageOf({ title, path, body }: Pick<Page, 'title' | 'path' | 'body'>): string {
  return documentOf({
    title,
    path,
    body,
    head: html`<script src="/pages/copy.js" defer></script>`,
    frame: 'page',
  })
}
