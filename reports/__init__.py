"""What a person opens: pages made from run directories (run.json, timeline.csv) and from nothing else."""
