const STATE = '35';
const ISSUER = '12345678000195';
const MODEL_AND_SERIES = '55001';

/** Returns the access key of an NF-e (an invoice): 43 digits and a check digit modulo 11. `month` has the form YYMM. */
export function invoiceKey(orderNumber, month = '2611') {
  const number = String(orderNumber).padStart(9, '0');
  const code = String(orderNumber).padStart(8, '0');
  const start = `${STATE}${month}${ISSUER}${MODEL_AND_SERIES}${number}1${code}`;
  return start + checkDigit(start);
}

function checkDigit(text) {
  const sum = [...text]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (2 + (index % 8)), 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}
