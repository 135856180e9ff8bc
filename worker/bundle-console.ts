import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { build } from 'vite'
import { packageRoot } from '../activities/config/package-root.ts'

// Makes dist/console of api/console, which the API serves at /console.
await build({
  root: join(packageRoot, 'api/console'),
  configFile: false,
  logLevel: 'warn',
  base: '/console/',
  plugins: [tailwindcss()],
  resolve: { alias: { '#domain': join(packageRoot, 'workflows/domain') } },
  build: {
    outDir: join(packageRoot, 'dist/console'),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // `use client` is for servers that render React, and here is none.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
})
