"""What people look at: figures and pages made of finished results, as text without side effects."""
