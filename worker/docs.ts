import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../activities/config/package-root.ts'
import { betweenMarkers, configurationTable } from './docs/configuration-table.ts'
import { dashboardFiles } from './docs/dashboards.ts'

// `npm run docs`: writes the generated parts of docs/.
const file = join(packageRoot, 'docs', 'operations.md')
writeFileSync(
  file,
  betweenMarkers(readFileSync(file, 'utf8'), 'configuration', configurationTable()),
)
console.log(`wrote ${file}`)

const dashboards = join(packageRoot, 'docs', 'dashboards')
mkdirSync(dashboards, { recursive: true })
for (const [name, json] of Object.entries(dashboardFiles()))
  writeFileSync(join(dashboards, name), json)
console.log(`wrote ${dashboards}`)
