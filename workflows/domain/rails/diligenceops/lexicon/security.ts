import { type Group, group } from './group.ts'

/** Terms of questions about security. */
export const securityTerms: readonly Group[] = [
  group(
    'mfa',
    'mfa, 2fa, multi factor authentication, multifactor authentication, two factor authentication, second factor',
    'mfa, 2fa, mehr faktor authentifizierung, multi faktor authentifizierung, mehrfaktorauthentifizierung, zwei faktor authentifizierung, zwei faktor authentisierung, zweiter faktor',
  ),
  group(
    'sso',
    'sso, single sign on, saml, federated login',
    'sso, single sign on, saml, einmalanmeldung',
  ),
  group('password', 'password, passphrase, passcode', 'passwort, kennwort'),
  group('length', 'length, characters, long password', 'länge, zeichen, mindestlänge'),
  group(
    'encryption',
    'encrypt, encryption, encrypted, cipher, cryptography, cryptographic',
    'verschlüsseln, verschlüsselung, verschlüsselt, kryptographie',
  ),
  group(
    'at rest',
    'at rest, stored data, data storage encryption, resting data',
    'im ruhezustand, ruhende daten, ruhenden daten, gespeicherte daten, gespeicherten daten, ruhende',
  ),
  group(
    'in transit',
    'in transit, transport encryption, data in motion, tls, https',
    'bei der übertragung, transportverschlüsselung, tls, https',
  ),
  group('algorithm', 'algorithm, aes, cipher suite', 'algorithmus, verfahren, aes', 0.5),
  group(
    'key',
    'key, cryptographic key, encryption key, crypto key',
    'schlüssel, kryptographischer schlüssel',
  ),
  group(
    'rotate',
    'rotate, rotation, rollover, change keys, change cryptographic keys',
    'rotieren, rotation, wechseln, gewechselt, tauschen',
  ),
  group(
    'key store',
    'hsm, hardware security module, key management service, kms, key vault',
    'hsm, hardware sicherheitsmodul, schlüsselverwaltung, kms',
  ),
  group(
    'backup',
    'backup, back up, backed up',
    'backup, sicherungskopie, datensicherung, sicherung, sicherungen',
  ),
  group(
    'restore',
    'restore, restoration, recover data, restoring',
    'wiederherstellung, wiederherstellen, rücksicherung',
  ),
  group(
    'rto',
    'rto, recovery time objective, recovery time',
    'rto, wiederanlaufzeit, wiederherstellungszeit',
  ),
  group(
    'rpo',
    'rpo, recovery point objective, recovery point',
    'rpo, wiederherstellungspunkt, maximaler datenverlust',
  ),
  group(
    'continuity',
    'disaster recovery, business continuity, continuity plan, bcp',
    'notfallwiederherstellung, notfallvorsorge, betriebskontinuität',
  ),
  group(
    'incident plan',
    'incident response plan, incident plan, response plan, emergency plan',
    'notfallplan, vorfallplan, reaktionsplan',
  ),
  group(
    'vulnerability',
    'vulnerability, security flaw, security hole, weakness, flaw',
    'schwachstelle, sicherheitslücke, lücke',
  ),
  group(
    'patch',
    'patch, fix, remediate, remediation, update',
    'beheben, behoben, patchen, schließen, geschlossen, behebung',
  ),
  group('scan', 'scan, scanner, scanning', 'scan, scannen, scanner'),
  group(
    'pentest',
    'penetration test, pen test, pentest, penetration testing, ethical hacking',
    'penetrationstest, pentest, penetrations test',
  ),
  group(
    'sast',
    'sast, static analysis, static code analysis, static application security testing',
    'sast, statische analyse, statische codeanalyse',
  ),
  group(
    'sca',
    'sca, software composition analysis, dependency scanning, open source dependencies, third party libraries',
    'sca, software kompositionsanalyse, abhängigkeitsprüfung',
  ),
  group('bug bounty', 'bug bounty, vulnerability disclosure program', 'bug bounty'),
  group(
    'antivirus',
    'antivirus, anti virus, anti malware, antimalware, malware protection, virus scanner, endpoint protection',
    'virenschutz, virenscanner, antivirus, schadsoftware schutz, malware schutz',
  ),
  group(
    'endpoint',
    'endpoint, laptop, workstation, desktop computer',
    'endgerät, laptop, arbeitsplatzrechner',
  ),
  group(
    'intrusion detection',
    'intrusion detection, ids, ips, intrusion prevention',
    'angriffserkennung, einbruchserkennung, ids, angriffserkennungssystem',
  ),
  group('waf', 'web application firewall, waf', 'web application firewall, waf'),
  group('firewall', 'firewall', 'firewall'),
  group(
    'removable media',
    'removable media, usb stick, usb drive, usb device, thumb drive',
    'wechseldatenträger, usb stick, wechselmedien',
  ),
  group(
    'access',
    'access, access right, permission, privilege, user permission, user access, entitlement, authorization',
    'zugriff, zugang, zugriffsrecht, berechtigung, zugriffsberechtigung, konto, konten',
  ),
  group('account', 'account', 'benutzerkonto', 0.6),
  group(
    'leaver',
    'leaver, leave the company, leaves the company, someone leaves, employee leaves, offboarding, departing employee, terminated employee, when an employee leaves',
    'ausscheiden, ausgeschieden, ausgeschiedene, austritt, ausscheidende mitarbeiter, ausgeschiedener',
  ),
  group(
    'revoke',
    'revoke, remove, close, closed, withdraw, deactivate, disable, block',
    'sperren, gesperrt, entziehen, deaktivieren, entzogen',
  ),
  group(
    'administrator',
    'administrator, admin, administrative, privileged user',
    'administrator, admin',
  ),
  group('session', 'session, idle session', 'sitzung'),
  group(
    'idle',
    'idle, inactive, inactivity, without activity, time out, timeout',
    'inaktiv, inaktivität, ohne aktivität, leerlauf',
  ),
  group(
    'screening',
    'background check, screen, screening, vet, vetting, criminal record check',
    'hintergrundprüfung, zuverlässigkeitsprüfung, vor der einstellung überprüft, einstellung überprüft',
  ),
  group(
    'new employee',
    'new employee, new hire, new staff, candidate, joiner',
    'neue mitarbeiter, neuer mitarbeiter, bewerber',
  ),
  group(
    'log',
    'log, audit log, audit trail, logging, event log, log file',
    'protokoll, log, protokollierung, logdatei, protokolle',
  ),
  group('incident', 'incident, security incident', 'vorfall, sicherheitsvorfall'),
  group(
    'breach',
    'breach, data breach, security breach, personal data breach, data leak',
    'datenpanne, datenschutzverletzung, datenschutzvorfall, verletzung, datenleck, verletzung des schutzes personenbezogener daten',
  ),
  group(
    'history',
    'ever, never, suffered, experienced, occurred, in the past',
    'jemals, niemals, bisher, schon, bereits, nie',
    1,
  ),
  group('iso 27001', 'iso 27001, iso iec 27001, iso27001', 'iso 27001, iso iec 27001, iso27001'),
  group('soc 2', 'soc 2, soc2', 'soc 2, soc2'),
  group(
    'certificate',
    'certificate, certification, certified, certify',
    'zertifikat, zertifizierung, zertifiziert',
    0.7,
  ),
  group(
    'expire',
    'expire, expiry, valid until, mature, maturity, due, fall due, end, ends, valid',
    'ablaufen, gültig, gilt bis, fällig, läuft aus, auslaufen, endet, enden, beendet, fälligkeit',
    0.4,
  ),
  group('code', 'code, source code, code change', 'code, quellcode, codeänderung, quelltext', 0.5),
  group('change', 'change, code change, release', 'änderung, codeänderung, freigabe', 0.7),
  group(
    'review',
    'review, reviewed, check, peer review, second engineer, four eyes',
    'prüfen, geprüft, überprüfen, überprüft, begutachten, begutachtet, vier augen, zweiten person, zweiten entwickler',
    0.7,
  ),
  group(
    'test',
    'test, tested, exercise, exercised, drill, rehearse',
    'test, testen, getestet, üben, geübt, übung',
    0.7,
  ),
  group(
    'ciso',
    'ciso, chief information security officer, head of security, security officer',
    'ciso, informationssicherheitsbeauftragter, informationssicherheitsbeauftragte, it sicherheitsbeauftragter, sicherheitsbeauftragter',
  ),
  group(
    'hosting',
    'hosted, host, hosting, data centre, data center, runs on, cloud provider',
    'gehostet, hosting, rechenzentrum, betrieben, hosten',
    0.8,
  ),
  group('critical', 'critical, severe', 'kritisch, schwerwiegend', 0.6),
  group(
    'segregation',
    'segregate, segregated, tenant separation, multi tenant, tenant, isolate',
    'mandant, mandantentrennung, getrennt',
  ),
  group(
    'respond',
    'respond, response, response time, react',
    'reagieren, reagiert, reaktion, reaktionszeit',
  ),
]
