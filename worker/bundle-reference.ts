import { join } from 'node:path'
import { build } from 'vite'
import { packageRoot } from '../activities/config/package-root.ts'

// Makes dist/reference/reference.js of api/reference, the one script of the API reference.
await build({
  root: join(packageRoot, 'api/reference'),
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: join(packageRoot, 'dist/reference'),
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: {
      input: join(packageRoot, 'api/reference/src/main.ts'),
      output: { format: 'iife', entryFileNames: 'reference.js' },
    },
  },
})
