"""Makes the files of this directory: python make.py, with python-docx 1.2.0, openpyxl 3.1.5 and reportlab 5.1.0."""
from datetime import date, datetime, timedelta
from pathlib import Path

from docx import Document
from openpyxl import Workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen import canvas

here = Path(__file__).parent


def usage_book(epoch=None):
    book = Workbook()
    if epoch:
        book.epoch = epoch
    sheet = book.active
    sheet.title = "Usage"
    sheet.append(["at", "model", "input_tokens", "output_tokens"])
    for n in range(20):
        at = datetime(2026, 5, 1, 8, 30) + timedelta(hours=7 * n, milliseconds=250 * (n % 2))
        sheet.append([at, "gpt-4o", 1000 + n, 10 * n])
        sheet.cell(n + 2, 1).number_format = "yyyy-mm-dd hh:mm:ss"
    kinds = book.create_sheet("Kinds")
    kinds.append(["text", "day", "amount", "tiny", "yes", "quoted"])
    kinds.append(["=not a formula", date(2024, 2, 29), 0.1 + 0.2, 1.25e-7, True, 'a "b", c\nd'])
    kinds.append(["  ", date(2000, 1, 1), -1234567.5, 12345678901234, False, "Ärger 日本"])
    kinds["A2"].data_type = "s"
    formulas = book.create_sheet("Formulas")
    formulas.append(["at", "model", "input_tokens", "output_tokens"])
    formulas.append(["2026-05-01T00:00:00Z", "gpt-4o", "=1+2", 3])
    return book


usage_book().save(here / "usage.xlsx")
usage_book(CALENDAR_MAC_1904).save(here / "usage-1904.xlsx")

policy = Document()
policy.add_heading("Access control policy", 1)
policy.add_paragraph("Multi-factor authentication is required for all employees.")
policy.add_paragraph("Access reviews are done every 90 days. They are signed by the security officer.")
table = policy.add_table(rows=0, cols=2)
for name, value in (("owner", "Jane Roe"), ("approved_by", "John Doe")):
    cells = table.add_row().cells
    cells[0].text, cells[1].text = name, value
policy.save(here / "policy.docx")

pages = [
    ["Backup policy", "Backups are retained for 35 days.", "They are encrypted with AES-256."],
    ["Incident response", "Customers are notified of a breach within 48 hours.", "Approved by: John Doe"],
]


def write_pdf(name, **settings):
    pdf = canvas.Canvas(str(here / name), invariant=1, **settings)
    for lines in pages:
        for at, line in enumerate(lines):
            pdf.drawString(72, 760 - 20 * at - (20 if at else 0), line)
        pdf.showPage()
    pdf.save()


write_pdf("backup.pdf")
write_pdf("locked.pdf", encrypt=StandardEncryption("secret", strength=128))
