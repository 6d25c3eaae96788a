"""A privacy budget per dataset that survives crashes and concurrent processes."""

from dpselect.ledger.account import Account as Account
from dpselect.ledger.account import Entry as Entry
from dpselect.ledger.account import Ledger as Ledger
from dpselect.ledger.account import Reservation as Reservation
